// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// An inference of a compiled model with fixed shapes asks nothing of the heap and takes no lock but
// that of its request. What oneDNN does inside of its primitives is counted apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "allocation/counting.hpp"
#include "fuseq/fuseq.hpp"
#include "generate_model/residual_cnn.hpp"

namespace fuseq::test {
namespace {

// begin, cancel, end: the state of the request is guarded against other threads.
constexpr std::size_t kRequestLocks = 3;

TEST(Counting, SeesAllocationsAndLocks) {
    std::mutex mutex;
    // Volatile: a compiler may leave out memory that nobody uses.
    int* volatile number = nullptr;
    void* volatile memory = nullptr;
    Counting counting;
    number = new int(1);
    memory = std::aligned_alloc(64, 128);
    mutex.lock();
    const Counts counts = counting.stop();
    mutex.unlock();
    std::free(memory);
    delete number;
    EXPECT_EQ(counts.allocations, 2u);
    EXPECT_EQ(counts.locks, 1u);
    EXPECT_EQ(counts.in_onednn, 0u);
    EXPECT_NE(counts.first, "");
}

// Int8 convolutions (dense by the own kernel and by oneDNN, depthwise), pooling, residual addition,
// softmax.
std::shared_ptr<Model> bundled() {
    return samples::residual_cnn();
}

// A head as in detectors: convolutions on f32, a sigmoid, Transpose, Concat, softmax, TopK.
std::shared_ptr<Model> head() {
    return Model::from_text(R"(model "head"
        %x = Parameter : f32[1,16,20,24]
        %w = Const value=random(1,-0.2,0.2) : f32[24,16,3,3]
        %c = Convolution(%x, %w) strides=[1,1] pads_begin=[1,1] pads_end=[1,1] dilations=[1,1]
        %s = Sigmoid(%c)
        %p = MaxPool(%s) strides=[2,2] kernel=[2,2] pads_begin=[0,0] pads_end=[0,0]
        %v = Const value=random(2,-0.2,0.2) : f32[24,16,1,1]
        %d = Convolution(%x, %v) strides=[2,2] pads_begin=[0,0] pads_end=[0,0] dilations=[1,1]
        %a = Add(%p, %d)
        %l = Concat(%a, %p) axis=1
        %o = Const value={0,2,3,1} : i64[4]
        %t = Transpose(%l, %o)
        %n = Const value={1,120,48} : i64[3]
        %r = Reshape(%t, %n) special_zero=false
        %m = SoftMax(%r) axis=2
        %i = Const value={1,5,9} : i64[3]
        %z = Const value={2} : i64[]
        %g = Gather.8(%m, %i, %z)
        %out = Result(%g))");
}

// Matrix products, layer normalisation, gelu.
std::shared_ptr<Model> encoder() {
    return Model::from_text(R"(model "encoder"
        %x = Parameter : f32[1,32,64]
        %w = Const value=random(3,-0.2,0.2) : f32[64,128]
        %h = MatMul(%x, %w)
        %e = Gelu.7(%h)
        %v = Const value=random(4,-0.2,0.2) : f32[128,64]
        %y = MatMul(%e, %v)
        %a = Add(%x, %y)
        %axes = Const value={2} : i64[1]
        %n = MVN.6(%a, %axes) normalize_variance=true eps=1e-5 eps_mode=inside_sqrt
        %out = Result(%n))");
}

// Variables: a convolution over this row and the one before, and a sum.
std::shared_ptr<Model> stream() {
    return Model::from_text(R"(model "stream"
        %x = Parameter : f32[1,16,1,24]
        %before = ReadValue.6 variable_id="row" variable_type=f32 variable_shape=[1,16,1,24]
        %keep = Assign.6(%x) variable_id="row"
        %rows = Concat(%before, %x) axis=2
        %w = Const value=random(1,-0.2,0.2) : f32[24,16,2,3]
        %c = Convolution(%rows, %w) strides=[1,1] pads_begin=[0,1] pads_end=[0,1] dilations=[1,1]
        %start = Const value={1} : f32[1,1,1,1]
        %far = Const value={1,24,1,24} : i64[4]
        %ones = Broadcast.3(%start, %far)
        %sum = ReadValue.6(%ones) variable_id="sum" variable_type=f32 variable_shape=[1,24,1,24]
        %next = Add(%sum, %c)
        %keep_sum = Assign.6(%next) variable_id="sum"
        %s = SoftMax(%next) axis=1
        %out = Result(%s))");
}

struct Case {
    const char* name;
    std::shared_ptr<Model> (*model)();
    std::set<std::string> kinds;  // steps that must be there, so that the test means something
};

class Inference : public testing::TestWithParam<std::tuple<Case, int>> {};

TEST_P(Inference, AllocatesNothingAndLocksNothingShared) {
    const auto& [test, threads] = GetParam();
    Core core;
    CompiledModel compiled =
        core.compile_model(test.model(), "CPU", {{"INFERENCE_NUM_THREADS", threads}});
    const auto report = nlohmann::json::parse(compiled.get_property(property::kReport).as_string());
    std::set<std::string> kinds;
    for (const auto& step : report["steps"]) {
        kinds.insert(step["kind"].get<std::string>());
        EXPECT_NE(step["implementation"], "reference") << step["name"];
    }
    EXPECT_THAT(kinds, testing::IsSupersetOf(test.kinds));
    InferRequest request = compiled.create_infer_request();
    for (int i = 0; i < 3; ++i) {
        request.infer();  // the first one binds memory; OpenMP makes its threads
    }
    constexpr std::size_t kRuns = 5;
    Counting counting;
    for (std::size_t i = 0; i < kRuns; ++i) {
        request.infer();
    }
    const Counts counts = counting.stop();
    EXPECT_EQ(counts.allocations, 0u) << counts.first;
    EXPECT_LE(counts.locks, kRequestLocks * kRuns) << counts.first;
    RecordProperty("in_onednn", std::to_string(counts.in_onednn / kRuns));
}

const Case kCases[] = {{"Bundled", bundled, {"convolution", "softmax"}},
                       {"Head", head, {"convolution", "max_pool", "softmax", "movement"}},
                       {"Encoder", encoder, {"matmul", "mvn"}},
                       {"Stream", stream, {"convolution", "softmax"}}};

INSTANTIATE_TEST_SUITE_P(Models,
                         Inference,
                         testing::Combine(testing::ValuesIn(kCases), testing::Values(1, 2)),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param).name) +
                                    std::to_string(std::get<1>(test.param)) + "Threads";
                         });

}  // namespace
}  // namespace fuseq::test
