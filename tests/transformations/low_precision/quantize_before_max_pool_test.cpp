// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/quantize_before_max_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"
#include "transformations/low_precision/quantize_text.hpp"

namespace fuseq::testing {
namespace {

std::string model(const std::string& low, const std::string& rest) {
    return R"(model "m"
        %x = Parameter : u8[1,2,4,4]
        %w = Const value=random(1,-20,20) : i8[3,2,1,1]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
        %k = Const value={0.01} : f32[]
        %m = Multiply(%c, %k)
        %a = ReLU(%m))" +
           limits(low, "25.5") + rest;
}

const std::string kPoolFirst =
    "\n%p = MaxPool.1(%a) strides=[2,2] kernel=[2,2]" + quantize("q", "p") + "%r = Result(%q)";
const std::string kQuantizeFirst =
    quantize("q", "a") + "%p = MaxPool.1(%q) strides=[2,2] kernel=[2,2]\n%r = Result(%p)";

TEST(QuantizeBeforeMaxPool, MovesTheQuantization) {
    const PassTest test = run_pass(quantize_before_max_pool, model("{0} : f32[]", kPoolFirst));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, model("{0} : f32[]", kQuantizeFirst)), "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(QuantizeBeforeMaxPool, TakesLimitsPerChannel) {
    const std::string low = "{0,1,2} : f32[1,3,1,1]";
    const PassTest test = run_pass(quantize_before_max_pool, model(low, kPoolFirst));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, model(low, kQuantizeFirst)), "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(QuantizeBeforeMaxPool, TakesTheActivationAlong) {
    const PassTest test = run_pass(quantize_before_max_pool, model("{0} : f32[]", R"(
        %p = MaxPool.1(%a) strides=[2,2] kernel=[2,2]
        %b = ReLU(%p)
        %d = Clamp(%b) min=0.5 max=20
        %q = FakeQuantize(%d, %l, %h, %ol, %oh) levels=256 output_type=u8
        %r = Result(%q))"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, model("{0} : f32[]", R"(
        %b = ReLU(%a)
        %d = Clamp(%b) min=0.5 max=20
        %q = FakeQuantize(%d, %l, %h, %ol, %oh) levels=256 output_type=u8
        %p = MaxPool.1(%q) strides=[2,2] kernel=[2,2]
        %r = Result(%p))")),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(QuantizeBeforeMaxPool, RefusesFallingLimits) {
    const PassTest test = run_pass(quantize_before_max_pool, model("{26} : f32[]", kPoolFirst));
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(refusal_at(test.context, "q"),
              "max_pool_before: the limits fall, vary within a pooled plane or are not constant");
}

TEST(QuantizeBeforeMaxPool, RefusesAPoolingThatOthersRead) {
    const PassTest test =
        run_pass(quantize_before_max_pool, model("{0} : f32[]", kPoolFirst + "\n%r2 = Result(%p)"));
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(refusal_at(test.context, "q"),
              "max_pool_before: others read the result of the MaxPool");
}

// A float convolution of `from` channels.
std::string float_model(const std::string& from, const std::string& rest) {
    return R"(model "m"
        %x = Parameter : f32[1,)" +
           from + R"(,4,4]
        %w = Const value=random(1,-20,20) : f32[3,)" +
           from + R"(,1,1]
        %a = Convolution(%x, %w) strides=[1,1] dilations=[1,1])" +
           limits("{0} : f32[]", "25.5") + rest;
}

TEST(QuantizeBeforeMaxPool, MovesItToAFloatConvolutionOfFewChannels) {
    const PassTest test = run_pass(quantize_before_max_pool, float_model("4", kPoolFirst));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, float_model("4", kQuantizeFirst)), "");
    EXPECT_EQ(largest_difference(test), 0.0);
    EXPECT_FALSE(run_pass(quantize_before_max_pool, float_model("5", kPoolFirst)).changed);
}

TEST(QuantizeBeforeMaxPool, LeavesFloatSourcesAlone) {
    const std::string text = R"(model "m"
        %a = Parameter : f32[1,3,4,4]
        %l = Const value={0} : f32[]
        %h = Const value={25.5} : f32[]
        %ol = Const value={0} : f32[]
        %oh = Const value={255} : f32[])" +
                             kPoolFirst;
    EXPECT_FALSE(run_pass(quantize_before_max_pool, text).changed);
}

}  // namespace
}  // namespace fuseq::testing
