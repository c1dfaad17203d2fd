// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/fold_constants.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

TEST(FoldConstants, WidensHalfPrecision) {
    const PassTest test = run_pass(fold_constants, R"(model "m"
        %x = Parameter : f32[1,2]
        %h = Const value={0.5,-3} : f16[1,2]
        %c = Convert(%h) destination_type=f32
        %y = Add(%x, %c)
        %r = Result(%y))");
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : f32[1,2]
        %c = Const value={0.5,-3} : f32[1,2]
        %y = Add(%x, %c)
        %r = Result(%y))"),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(FoldConstants, FollowsChains) {
    const PassTest test = run_pass(fold_constants, R"(model "m"
        %x = Parameter : f32[2]
        %a = Const value={1,2} : f32[2]
        %b = Const value={3} : f32[1]
        %s = Add(%a, %b)
        %p = Multiply(%s, %s)
        %y = Add(%x, %p)
        %r = Result(%y))");
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : f32[2]
        %p = Const value={16,25} : f32[2]
        %y = Add(%x, %p)
        %r = Result(%y))"),
              "");
}

const char* const kQuantizedWeights = R"(model "m"
        %x = Parameter : f32[1,1,2,2]
        %u = Const value={0,132,254,126} : u8[2,2]
        %d = Convert(%u) destination_type=f32
        %il = Const value=fill(0) : f32[]
        %ih = Const value=fill(254) : f32[]
        %lh = Const value={-63.5,-31.75} : f16[2,1]
        %l = Convert(%lh) destination_type=f32
        %h = Const value={63.5,31.75} : f32[2,1]
        %fq = FakeQuantize(%d, %il, %ih, %l, %h) levels=255
        %n = Const value={2,1,1,2} : i64[4]
        %w = Reshape(%fq, %n)
        %conv = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
        %r = Result(%conv))";

TEST(FoldConstants, LeavesQuantizedWeightsButFoldsTheirLimits) {
    const PassTest test = run_pass(fold_constants, kQuantizedWeights);
    EXPECT_EQ(test.after->find("w")->type(), "Reshape");
    EXPECT_EQ(test.after->find("fq")->input_node(0)->type(), "Convert");
    EXPECT_EQ(test.after->find("fq")->input_node(3)->type(), "Const");
    EXPECT_EQ(test.after->find("fq")->input(3).type(), element::f32);
}

TEST(FoldConstants, FoldsQuantizedWeightsWithoutLowPrecision) {
    PassOptions options;
    options.low_precision = false;
    const PassTest test = run_pass(fold_constants, kQuantizedWeights, options);
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : f32[1,1,2,2]
        %w = Const value={-63.5,2.5,31.75,-0.25} : f32[2,1,1,2]
        %conv = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
        %r = Result(%conv))"),
              "");
    EXPECT_LT(largest_difference(test), 1e-5);
    const PassTest all = run_pass(fold_all_constants, kQuantizedWeights);
    EXPECT_EQ(compare_models(*all.after, *test.after), "");
}

TEST(FoldConstants, KeepsConstantOutputs) {
    const PassTest test = run_pass(fold_constants, R"(model "m"
        %a = Const value={1,2} : f32[2]
        %y = Add(%a, %a) : f32[2] "sum"
        %r = Result(%y))");
    EXPECT_EQ(to_floats(test.after->output("sum").node->constant()), (std::vector<float>{2, 4}));
    EXPECT_EQ(test.after->output_name(0), "y");
}

TEST(FoldConstants, RefusesLargeResults) {
    const PassTest test = run_pass(fold_constants, R"(model "m"
        %a = Const value=fill(1) : f32[8192,1]
        %b = Const value=fill(1) : f32[1,4096]
        %y = Add(%a, %b)
        %r = Result(%y))");
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(refusal_at(test.context, "y"),
              "constant_too_large: the result is much larger than the constants it is computed "
              "from");
}

}  // namespace
}  // namespace fuseq::testing
