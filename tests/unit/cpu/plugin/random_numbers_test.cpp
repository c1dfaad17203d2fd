// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Random numbers through the public API, on both devices: each inference of a request goes on in
// the sequence of its seeds, in bodies and after a change of shapes too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fuseq/fuseq.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::Each;
using ::testing::FloatNear;
using ::testing::Pointwise;

// Numbers of a given count; no input but constants.
const std::string kConstant = R"(model "constant"
    %n = Const value={4} : i64[1]
    %low = Const value={0} : f32[]
    %high = Const value={1} : f32[]
    %u = RandomUniform.8(%n, %low, %high) output_type=f32 global_seed=150 op_seed=10
    %out = Result(%u))";

// As many numbers as the input has, added to it.
const std::string kDynamic = R"(model "dynamic"
    %x = Parameter : f32[?]
    %n = ShapeOf.3(%x) output_type=i64
    %low = Const value={0} : f32[]
    %high = Const value={1} : f32[]
    %u = RandomUniform.8(%n, %low, %high) output_type=f32 global_seed=150 op_seed=10
    %y = Add(%x, %u)
    %out = Result(%y))";

// Adds a number in each of three iterations; every iteration's sum is kept.
const std::string kLoop = R"(model "loop"
    %x = Parameter : f32[1]
    %trips = Const value={3} : i64[]
    %go = Const value={1} : boolean[]
    %op = Loop.5(%trips, %go, %x) body={
        %state = Parameter.1 : f32[1]
        %n = Const value={1} : i64[1]
        %low = Const value={0} : f32[]
        %high = Const value={1} : f32[]
        %u = RandomUniform.8(%n, %low, %high) output_type=f32 global_seed=150 op_seed=10
        %sum = Add.1(%state, %u)
        %true = Const.1 value={1} : boolean[]
        %next = Result.1(%sum)
        %continue = Result.1(%true)
    } input_map=[2,0,0,0,0,-1,1,1] output_map=[0,0,0,0,0,-1,1,1] back_edges=[0,0] execution_condition=1
    %out = Result(%op))";

std::vector<float> infer(InferRequest& request) {
    request.infer();
    return to_floats(request.get_output_tensor(0));
}

std::vector<float> infer(InferRequest& request, std::size_t count) {
    Tensor zeros(ElementType::f32, Shape{count});
    for (float& value : zeros.values<float>()) {
        value = 0;
    }
    request.set_input_tensor(0, zeros);
    return infer(request);
}

InferRequest request_for(const std::string& text, const char* device) {
    Core core;
    return core.compile_model(Model::from_text(text), device).create_infer_request();
}

const std::vector<float> kFirst{0.7011236F, 0.30539632F, 0.93931055F, 0.9456035F};

TEST(RandomNumbers, AreComputedAtEachInference) {
    InferRequest cpu = request_for(kConstant, "CPU");
    InferRequest reference = request_for(kConstant, "REFERENCE");
    EXPECT_THAT(infer(cpu), Pointwise(FloatNear(1e-7F), kFirst));
    EXPECT_THAT(infer(reference), Pointwise(FloatNear(1e-7F), kFirst));
    const std::vector<float> second = infer(cpu);
    EXPECT_NE(second[0], kFirst[0]);
    EXPECT_EQ(second, infer(reference));
    const std::vector<float> third = infer(cpu);
    EXPECT_NE(third, second);
    EXPECT_EQ(third, infer(reference));
}

TEST(RandomNumbers, EachRequestBeginsAtTheSeeds) {
    for (const char* device : {"CPU", "REFERENCE"}) {
        Core core;
        CompiledModel model = core.compile_model(Model::from_text(kConstant), device);
        InferRequest first = model.create_infer_request();
        infer(first);
        InferRequest second = model.create_infer_request();
        EXPECT_THAT(infer(second), Pointwise(FloatNear(1e-7F), kFirst)) << device;
    }
}

TEST(RandomNumbers, GoOnWhenShapesChange) {
    InferRequest cpu = request_for(kDynamic, "CPU");
    InferRequest reference = request_for(kDynamic, "REFERENCE");
    std::vector<std::vector<float>> all;
    for (const std::size_t count : {4, 2, 4, 2}) {
        all.push_back(infer(cpu, count));
        EXPECT_EQ(all.back(), infer(reference, count));
    }
    EXPECT_THAT(all[0], Pointwise(FloatNear(1e-7F), kFirst));
    EXPECT_NE(all[2], all[0]);
    EXPECT_NE(all[3], all[1]);
}

TEST(RandomNumbers, GoOnInBodies) {
    InferRequest cpu = request_for(kLoop, "CPU");
    InferRequest reference = request_for(kLoop, "REFERENCE");
    const std::vector<float> first = infer(cpu, 1);
    EXPECT_EQ(first, infer(reference, 1));
    // The same number three times would be 2.1.
    EXPECT_GT(std::abs(first[0] - 3 * kFirst[0]), 1e-3F);
    const std::vector<float> second = infer(cpu, 1);
    EXPECT_NE(second, first);
    EXPECT_EQ(second, infer(reference, 1));
}

TEST(RandomNumbers, SeedsOfZeroCannotBeForeseen) {
    std::string text = kConstant;
    text.replace(text.find("global_seed=150 op_seed=10"), 26, "global_seed=0 op_seed=0");
    for (const char* device : {"CPU", "REFERENCE"}) {
        InferRequest request = request_for(text, device);
        const std::vector<float> first = infer(request);
        EXPECT_NE(first, infer(request)) << device;
        EXPECT_THAT(first, Each(::testing::AllOf(::testing::Ge(0), ::testing::Lt(1))));
    }
}

// Loops of constants are folded, except for those with random numbers in them.
TEST(RandomNumbers, LoopsWithThemAreNoConstants) {
    std::string text = kLoop;
    text.replace(text.find("%x = Parameter : f32[1]"), 23, "%x = Const value={0} : f32[1]");
    for (const char* device : {"CPU", "REFERENCE"}) {
        InferRequest request = request_for(text, device);
        const std::vector<float> first = infer(request);
        EXPECT_NE(first, infer(request)) << device;
    }
}

}  // namespace
}  // namespace fuseq::cpu
