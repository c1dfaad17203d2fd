// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU device used by several threads at once, rightly and wrongly. What these find is found
// best in the presets asan and tsan; the latter does not understand libgomp, so all inferences have
// one OpenMP thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <sstream>
#include <thread>
#include <vector>

#include "fuseq/fuseq.hpp"
#include "support/quantized_convolution_text.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::HasSubstr;

// Primitives of oneDNN and kernels of the plugin's own, with weights to pack.
std::shared_ptr<Model> model() {
    static const std::shared_ptr<Model> kModel = Model::from_text(
        "model \"shared\"\n%x = Parameter : f32[1,3,12,12]\n" + testing::quantized("x") +
        testing::quantized_convolution("q", "8,3,3,3", "1") + R"(
    %r = ReLU(%c)
    %h2 = Const value={31.875} : f32[]
    %z = Const value={0} : f32[]
    %q2 = FakeQuantize(%r, %z, %h2, %z, %h2) levels=256
    %v = Const value=random(9,-1,1) : f32[4,8,1,1]
    %f = Convolution(%q2, %v) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
    %y = MaxPool.1(%f) strides=[2,2] kernel=[2,2]
    %out = Result(%y))");
    return kModel;
}

Tensor image(std::size_t number) {
    Tensor tensor(ElementType::f32, Shape{1, 3, 12, 12});
    auto values = tensor.values<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(static_cast<int>((i * 37 + number * 11) % 256) - 128) / 64;
    }
    return tensor;
}

std::vector<float> run(const CompiledModel& compiled, std::size_t number) {
    InferRequest request = compiled.create_infer_request();
    request.set_input_tensor(image(number));
    request.infer();
    return to_floats(request.get_output_tensor());
}

// What one thread alone gets.
std::vector<float> expected(std::size_t number) {
    return run(Core().compile_model(model(), "CPU", {{property::kInferenceNumThreads, 1}}), number);
}

void on_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < count; ++t) {
        threads.emplace_back([&work, t] { work(t); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

std::string message_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(ParallelUse, EightThreadsCompileOneModel) {
    Core core;
    const std::vector<float> want = expected(0);
    std::vector<std::vector<float>> got(8);
    on_threads(got.size(), [&](std::size_t t) {
        for (std::size_t round = 0; round < 3; ++round) {
            const CompiledModel compiled = core.compile_model(
                model(), "CPU",
                {{"FUSEQ_COMPILE_THREADS", static_cast<std::int64_t>(1 + (t + round) % 4)},
                 {"FUSEQ_OWN_GEMM", t % 2 == 0},
                 {property::kInferenceNumThreads, 1}});
            got[t] = run(compiled, 0);
        }
    });
    for (const std::vector<float>& values : got) {
        EXPECT_EQ(values, want);
    }
}

// Requests of their own, while other threads ask for properties and export the model.
TEST(ParallelUse, ManyThreadsUseOneCompiledModel) {
    const CompiledModel compiled = Core().compile_model(
        model(), "CPU", {{property::kNumStreams, 2}, {property::kInferenceNumThreads, 1}});
    std::vector<std::vector<float>> want;
    for (std::size_t t = 0; t < 4; ++t) {
        want.push_back(expected(t));
    }
    std::atomic<int> wrong = 0;
    std::atomic<int> reports = 0;
    on_threads(6, [&](std::size_t t) {
        for (std::size_t round = 0; round < 10; ++round) {
            if (t >= want.size()) {
                std::stringstream blob;
                compiled.export_model(blob);
                reports += blob.str().empty() || compiled.get_runtime_report().empty() ? 0 : 1;
            } else if (run(compiled, t) != want[t]) {
                ++wrong;
            }
        }
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(reports, 20);
}

// Not allowed: each call works or says that the request is busy, and the request stays whole.
TEST(ParallelUse, OneRequestInManyThreadsIsBusy) {
    const CompiledModel compiled =
        Core().compile_model(model(), "CPU", {{property::kInferenceNumThreads, 1}});
    InferRequest request = compiled.create_infer_request();
    request.set_input_tensor(image(1));
    std::atomic<int> done = 0;
    std::atomic<int> other = 0;
    on_threads(4, [&](std::size_t t) {
        for (std::size_t round = 0; round < 25; ++round) {
            const std::string message = message_of([&] {
                if (t % 2 == 0) {
                    request.infer();
                } else {
                    request.start_async();
                }
            });
            done += message.empty() ? 1 : 0;
            other += message.empty() || message.find("busy") != std::string::npos ? 0 : 1;
        }
    });
    request.wait();
    EXPECT_GT(done, 0);
    EXPECT_EQ(other, 0);
    request.infer();
    EXPECT_EQ(to_floats(request.get_output_tensor()), expected(1));
}

// A cancelled run ends or says so; what comes after it is not harmed.
TEST(ParallelUse, CancelledRunsLeaveTheRequestUsable) {
    const CompiledModel compiled = Core().compile_model(
        model(), "CPU", {{property::kNumStreams, 2}, {property::kInferenceNumThreads, 1}});
    const std::vector<float> want = expected(2);
    std::vector<InferRequest> requests;
    for (std::size_t r = 0; r < 6; ++r) {
        requests.push_back(compiled.create_infer_request());
        requests.back().set_input_tensor(image(2));
    }
    for (std::size_t round = 0; round < 20; ++round) {
        for (InferRequest& request : requests) {
            request.start_async();
        }
        for (std::size_t r = round % 2; r < requests.size(); r += 2) {
            requests[r].cancel();
        }
        for (InferRequest& request : requests) {
            const std::string message = message_of([&] { request.wait(); });
            if (message.empty()) {
                ASSERT_EQ(to_floats(request.get_output_tensor()), want) << "round " << round;
            } else {
                ASSERT_THAT(message, HasSubstr("cancelled"));
            }
        }
    }
    for (InferRequest& request : requests) {
        request.infer();
        EXPECT_EQ(to_floats(request.get_output_tensor()), want);
    }
}

TEST(ParallelUse, WrongTensorsLeaveTheRequestUsable) {
    const CompiledModel compiled =
        Core().compile_model(model(), "CPU", {{property::kInferenceNumThreads, 1}});
    InferRequest request = compiled.create_infer_request();
    request.set_input_tensor(image(3));
    request.infer();
    EXPECT_THAT(message_of([&] {
                    request.set_input_tensor(Tensor(ElementType::u8, Shape{1, 3, 12, 12}));
                }),
                HasSubstr("got a tensor of u8, expected f32"));
    EXPECT_THAT(message_of([&] {
                    request.set_input_tensor(Tensor(ElementType::f32, Shape{1, 3, 12, 11}));
                }),
                HasSubstr("got shape [1,3,12,11], expected [1,3,12,12]"));
    EXPECT_THAT(message_of([&] { request.set_output_tensor(Tensor(ElementType::f32, Shape{4})); }),
                HasSubstr("got shape [4], expected [1,4,6,6]"));
    EXPECT_THAT(message_of([&] { request.set_input_tensor(Tensor()); }), HasSubstr("empty handle"));
    request.infer();
    EXPECT_EQ(to_floats(request.get_output_tensor()), expected(3));
}

}  // namespace
}  // namespace fuseq::cpu
