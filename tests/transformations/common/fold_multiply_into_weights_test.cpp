// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/fold_multiply_into_weights.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

std::string model(const std::string& body) {
    return "model \"m\"\n%x = Parameter : f32[1,2,3,3]\n" + body + "\n%r = Result(%y)";
}

TEST(FoldMultiplyIntoWeights, ScalesOutputChannels) {
    const PassTest test = run_pass(fold_multiply_into_weights, model(R"(
        %w = Const value={1,2,3,4} : f32[2,2,1,1]
        %conv = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
        %c = Const value={10,100} : f32[1,2,1,1]
        %y = Multiply(%conv, %c))"));
    EXPECT_EQ(differs_from(test, model(R"(
        %w = Const value={10,20,300,400} : f32[2,2,1,1]
        %y = Convolution(%x, %w) strides=[1,1] dilations=[1,1])")),
              "");
    EXPECT_EQ(test.after->find("conv")->origins, (std::vector<std::string>{"conv", "y"}));
    EXPECT_LT(largest_difference(test), 1e-3);
}

TEST(FoldMultiplyIntoWeights, ScalesGroups) {
    const PassTest test = run_pass(fold_multiply_into_weights, model(R"(
        %w = Const value={1,2,3,4} : f32[2,2,1,1,1]
        %conv = GroupConvolution(%x, %w) strides=[1,1] dilations=[1,1]
        %c = Const value={10,100,1000,1} : f32[1,4,1,1]
        %y = Multiply(%conv, %c))"));
    EXPECT_EQ(differs_from(test, model(R"(
        %w = Const value={10,200,3000,4} : f32[2,2,1,1,1]
        %y = GroupConvolution(%x, %w) strides=[1,1] dilations=[1,1])")),
              "");
    EXPECT_LT(largest_difference(test), 1e-2);
}

struct Kept {
    const char* name;
    const char* body;
};

const Kept kKept[] = {
    {"ReadTwice", R"(
        %w = Const value={1,2,3,4} : f32[2,2,1,1]
        %conv = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
        %c = Const value={10,100} : f32[1,2,1,1]
        %p = Multiply(%conv, %c)
        %y = Add(%p, %conv))"},
    {"OtherDimension", R"(
        %w = Const value={1,2,3,4} : f32[2,2,1,1]
        %conv = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
        %c = Const value={1,2,3} : f32[1,1,1,3]
        %y = Multiply(%conv, %c))"},
    {"QuantizedWeights", R"(
        %i = Const value={1,2,3,4} : i8[2,2,1,1]
        %d = Convert(%i) destination_type=f32
        %s = Const value={0.5} : f32[]
        %w = Multiply(%d, %s)
        %conv = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
        %c = Const value={10,100} : f32[1,2,1,1]
        %y = Multiply(%conv, %c))"},
};

class FoldMultiplyIntoWeightsKeeps : public ::testing::TestWithParam<Kept> {};

TEST_P(FoldMultiplyIntoWeightsKeeps, WhatItMust) {
    const PassTest test = run_pass(fold_multiply_into_weights, model(GetParam().body));
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(differs_from(test, model(GetParam().body)), "");
}

INSTANTIATE_TEST_SUITE_P(All,
                         FoldMultiplyIntoWeightsKeeps,
                         ::testing::ValuesIn(kKept),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace fuseq::testing
