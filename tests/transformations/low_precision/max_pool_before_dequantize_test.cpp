// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/max_pool_before_dequantize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

std::string constants(const std::string& factor) {
    return R"(model "m"
        %x = Parameter : i8[1,2,4,4]
        %s = Const value={0.25} : f32[]
        %k = Const value=)" +
           factor + R"(
        %d = Const value={-1,2} : f32[1,2,1,1])";
}

std::string pool_last(const std::string& factor) {
    return constants(factor) + R"(
        %f = Convert(%x) destination_type=f32
        %q = Multiply(%f, %s)
        %m = Multiply(%q, %k)
        %a = Add(%m, %d)
        %b = ReLU(%a)
        %p = MaxPool.1(%b) strides=[2,2] kernel=[3,3] pads_begin=[1,1] pads_end=[1,1])";
}

const std::string kPositive = "{0.5,3} : f32[1,2,1,1]";

TEST(MaxPoolBeforeDequantize, MovesThePooling) {
    const PassTest test =
        run_pass(max_pool_before_dequantize, pool_last(kPositive) + "\n%r = Result(%p)");
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, constants(kPositive) + R"(
        %p = MaxPool.1(%x) strides=[2,2] kernel=[3,3] pads_begin=[1,1] pads_end=[1,1]
        %f = Convert(%p) destination_type=f32
        %q = Multiply(%f, %s)
        %m = Multiply(%q, %k)
        %a = Add(%m, %d)
        %b = ReLU(%a)
        %r = Result(%b))"),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(MaxPoolBeforeDequantize, ServesAllReadersOfThePooling) {
    const PassTest test =
        run_pass(max_pool_before_dequantize,
                 pool_last(kPositive) + "\n%t = Tanh(%p)\n%r = Result(%p)\n%u = Result(%t)");
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(MaxPoolBeforeDequantize, RefusesAFactorThatIsNotPositive) {
    for (const char* factor : {"{0.5,-3} : f32[1,2,1,1]", "{0,1} : f32[1,2,1,1]"}) {
        const PassTest test =
            run_pass(max_pool_before_dequantize, pool_last(factor) + "\n%r = Result(%p)");
        EXPECT_FALSE(test.changed);
        EXPECT_EQ(refusal_at(test.context, "p"), "factor: a factor is not positive");
    }
}

TEST(MaxPoolBeforeDequantize, RefusesConstantsThatVaryAlongAPlane) {
    const PassTest test = run_pass(max_pool_before_dequantize,
                                   pool_last("{1,2,3,4} : f32[1,1,1,4]") + "\n%r = Result(%p)");
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(refusal_at(test.context, "p"),
              "constant_shape: a constant is neither per tensor nor per channel");
}

TEST(MaxPoolBeforeDequantize, LeavesWhatOthersReadAlone) {
    const PassTest test = run_pass(max_pool_before_dequantize,
                                   pool_last(kPositive) + "\n%r = Result(%p)\n%u = Result(%a)");
    EXPECT_FALSE(test.changed);
}

TEST(MaxPoolBeforeDequantize, LeavesFloatsAlone) {
    const PassTest test = run_pass(max_pool_before_dequantize, R"(model "m"
        %x = Parameter : f32[1,2,4,4]
        %k = Const value={2} : f32[]
        %m = Multiply(%x, %k)
        %p = MaxPool.1(%m) strides=[2,2] kernel=[2,2]
        %r = Result(%p))");
    EXPECT_FALSE(test.changed);
}

}  // namespace
}  // namespace fuseq::testing
