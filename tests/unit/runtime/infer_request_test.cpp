// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/infer_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "fuseq/fuseq.hpp"
#include "unit/runtime/runtime_fixture.hpp"

namespace fuseq {
namespace {

using std::chrono::milliseconds;
using test::message_of;
using test::plugin_path;
using test::relu_model;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<float> floats(const Tensor& tensor) {
    return to_floats(tensor);
}

// On the runtime's worker, and on a thread of the device.
class InferRequestTest : public testing::TestWithParam<const char*> {
protected:
    InferRequestTest() { core_.register_plugin(plugin_path("test_device"), "TEST"); }

    InferRequest request(AnyMap properties = {}) {
        properties["OWN_STREAM"] = GetParam();
        return core_.compile_model(model_, "TEST", properties).create_infer_request();
    }

    Core core_;
    std::shared_ptr<Model> model_ = relu_model({2});
};

TEST_P(InferRequestTest, SetsAndGetsByNameIndexAndPort) {
    InferRequest request = this->request();
    const Tensor input = Tensor::of<float>({2}, {1, 2});
    const CompiledModel compiled = request.get_compiled_model();
    const std::vector<std::function<void()>> setters = {
        [&] { request.set_tensor("in", input); },
        [&] { request.set_tensor("in_tensor", input); },
        [&] { request.set_tensor(compiled.input(), input); },
        [&] { request.set_tensor(model_->input(0), input); },
        [&] { request.set_input_tensor(input); },
        [&] { request.set_input_tensor(0, input); }};
    for (const auto& set : setters) {
        request.set_input_tensor(Tensor(ElementType::f32, {2}));
        set();
        EXPECT_EQ(request.get_input_tensor().data<float>(), input.data<float>());
    }
    Tensor output(ElementType::f32, {2});
    request.set_tensor("relu", output);
    request.infer();
    EXPECT_THAT(floats(output), ElementsAre(2, 3));
    for (const Tensor& got :
         {request.get_tensor("out_tensor"), request.get_tensor("result"),
          request.get_tensor(compiled.output()), request.get_tensor(model_->output(0)),
          request.get_output_tensor(), request.get_output_tensor(0)}) {
        EXPECT_EQ(got.data<float>(), output.data<float>());
    }
}

TEST_P(InferRequestTest, RefusesWrongTensorsByName) {
    InferRequest request = this->request();
    EXPECT_EQ(message_of([&] { request.set_input_tensor(Tensor(ElementType::u8, {2})); }),
              "infer: input 'in_tensor': got a tensor of u8, expected f32");
    EXPECT_EQ(message_of([&] { request.set_tensor("in", Tensor(ElementType::f32, {3})); }),
              "infer: input 'in_tensor': got shape [3], expected [2]");
    EXPECT_EQ(message_of([&] {
                  request.set_output_tensor(Tensor(ElementType::f32, {2, 1}));
              }),
              "infer: output 'out_tensor': got shape [2,1], expected [2]");
    EXPECT_THAT(message_of([&] { request.set_input_tensor(Tensor()); }), HasSubstr("empty handle"));
    EXPECT_THAT(message_of([&] { request.set_tensor("im", Tensor()); }),
                HasSubstr("no input or output 'im'; inputs: 'in_tensor'; outputs: 'out_tensor'"));
    EXPECT_THAT(message_of([&] { request.set_input_tensor(1, Tensor()); }),
                HasSubstr("no input 1"));
    const auto other = relu_model();
    Node* extra = other->add("ReLU", 1, "extra", {other->find("relu")->output()});
    EXPECT_THAT(message_of([&] { (void)request.get_tensor(extra->output()); }),
                HasSubstr("'extra' is no input and no output"));
    static const float kConstant[2] = {0, 0};
    const Tensor read_only(ElementType::f32, {2}, kConstant, std::shared_ptr<const void>());
    EXPECT_THAT(message_of([&] { request.set_output_tensor(read_only); }), HasSubstr("read-only"));
    request.set_input_tensor(read_only);
}

TEST_P(InferRequestTest, RunsAsynchronously) {
    InferRequest request = this->request({{"DELAY_MS", 30}});
    request.set_input_tensor(Tensor::of<float>({2}, {5, 6}));
    request.wait();  // nothing was started
    EXPECT_FALSE(request.wait_for(milliseconds(0)));
    request.start_async();
    EXPECT_FALSE(request.wait_for(milliseconds(1)));
    request.wait();
    EXPECT_TRUE(request.wait_for(milliseconds(0)));
    EXPECT_THAT(floats(request.get_output_tensor()), ElementsAre(6, 7));
}

TEST_P(InferRequestTest, IsBusyWhileItRuns) {
    InferRequest request = this->request({{"DELAY_MS", 100}});
    request.start_async();
    const Tensor input(ElementType::f32, {2});
    const std::vector<std::function<void()>> calls = {[&] { request.set_input_tensor(input); },
                                                      [&] { request.set_output_tensor(input); },
                                                      [&] { (void)request.get_input_tensor(); },
                                                      [&] { (void)request.get_output_tensor(); },
                                                      [&] { request.infer(); },
                                                      [&] { request.start_async(); },
                                                      [&] { request.set_callback({}); },
                                                      [&] { (void)request.get_profiling_info(); }};
    for (const auto& call : calls) {
        EXPECT_THAT(message_of(call), HasSubstr("busy"));
    }
    request.wait();
    request.infer();
}

TEST_P(InferRequestTest, GivesExceptionsToWaitAndToTheCallback) {
    InferRequest request = this->request({{"FAIL", "no paper"}});
    std::promise<std::exception_ptr> given;
    request.set_callback([&](std::exception_ptr error) { given.set_value(error); });
    request.start_async();
    const std::exception_ptr error = given.get_future().get();
    ASSERT_TRUE(error);
    EXPECT_EQ(message_of([&] { std::rethrow_exception(error); }), "infer: no paper");
    EXPECT_EQ(message_of([&] { request.wait(); }), "infer: no paper");
    EXPECT_EQ(message_of([&] { request.infer(); }), "infer: no paper");
}

TEST_P(InferRequestTest, WaitThrowsWhatTheCallbackThrows) {
    InferRequest request = this->request();
    request.set_callback([](std::exception_ptr) { throw Error("user", "callback failed"); });
    request.start_async();
    EXPECT_EQ(message_of([&] { request.wait(); }), "user: callback failed");
}

TEST_P(InferRequestTest, MayBeStartedAgainInItsCallback) {
    InferRequest request = this->request();
    std::atomic<int> runs = 0;
    std::promise<void> done;
    request.set_callback([&](std::exception_ptr error) {
        ASSERT_FALSE(error);
        request.wait();  // the run of this callback has ended
        EXPECT_EQ(request.get_output_tensor().get_size(), 2u);
        if (++runs < 20) {
            request.start_async();
        } else {
            done.set_value();
        }
    });
    request.start_async();
    done.get_future().get();
    request.wait();
    EXPECT_EQ(runs, 20);
}

TEST_P(InferRequestTest, CanBeCancelled) {
    InferRequest running = this->request({{"DELAY_MS", 60000}});
    running.cancel();  // nothing runs
    running.start_async();
    std::this_thread::sleep_for(milliseconds(20));
    running.cancel();
    EXPECT_THAT(message_of([&] { running.wait(); }), HasSubstr("cancelled"));
}

TEST_P(InferRequestTest, ACancelledRunThatWaitsInTheQueueDoesNotBegin) {
    const CompiledModel compiled =
        core_.compile_model(model_, "TEST", {{"DELAY_MS", 50}, {"OWN_STREAM", GetParam()}});
    InferRequest first = compiled.create_infer_request();
    InferRequest second = compiled.create_infer_request();
    second.set_output_tensor(Tensor::of<float>({2}, {-7, -7}));
    first.start_async();
    second.start_async();
    second.cancel();
    first.wait();
    EXPECT_THAT(message_of([&] { second.wait(); }), HasSubstr("cancelled"));
    EXPECT_THAT(floats(second.get_output_tensor()), ElementsAre(-7, -7));
    second.infer();
    EXPECT_THAT(floats(second.get_output_tensor()), ElementsAre(1, 1));
}

TEST_P(InferRequestTest, TheLastHandleWaits) {
    Tensor output(ElementType::f32, {2});
    {
        InferRequest request = this->request({{"DELAY_MS", 30}});
        request.set_output_tensor(output);
        request.start_async();
    }
    EXPECT_THAT(floats(output), ElementsAre(1, 1));
}

TEST_P(InferRequestTest, TheCallbackMayHoldTheLastHandle) {
    std::promise<void> done;
    {
        auto request = std::make_shared<InferRequest>(this->request({{"DELAY_MS", 20}}));
        // Ownership goes in a circle until the callback breaks it.
        request->set_callback([request, &done](std::exception_ptr) mutable {
            auto last = std::move(request);
            last.reset();
            done.set_value();
        });
        request->start_async();
    }
    ASSERT_EQ(done.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

TEST_P(InferRequestTest, ManyRequestsOfOneModelAllEnd) {
    const CompiledModel compiled =
        core_.compile_model(model_, "TEST", {{"OWN_STREAM", GetParam()}});
    std::vector<InferRequest> requests;
    for (int i = 0; i < 8; ++i) {
        requests.push_back(compiled.create_infer_request());
        const auto value = static_cast<float>(i);
        requests.back().set_input_tensor(Tensor::of<float>({2}, {value, -value}));
    }
    for (int round = 0; round < 50; ++round) {
        for (InferRequest& request : requests) {
            request.start_async();
        }
        for (InferRequest& request : requests) {
            request.wait();
        }
    }
    for (int i = 0; i < 8; ++i) {
        const auto value = static_cast<float>(i);
        EXPECT_THAT(floats(requests[static_cast<std::size_t>(i)].get_output_tensor()),
                    ElementsAre(value + 1, 1 - value));
    }
}

INSTANTIATE_TEST_SUITE_P(Executors,
                         InferRequestTest,
                         testing::Values("NO", "YES"),
                         [](const auto& executor) {
                             return std::string(executor.param) == "NO" ? "Worker" : "DeviceStream";
                         });

}  // namespace
}  // namespace fuseq
