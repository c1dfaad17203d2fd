// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/quantized_consumer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

using ::testing::StartsWith;

std::shared_ptr<Model> convolution(const std::string& rest) {
    return Model::from_text(R"(model "m"
        %x = Parameter : f32[1,2,6,6]
        %w = Const value=fill(1) : f32[1,2,3,3]
        %y = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
        %l = Const value={-1} : f32[]
        %h = Const value={4} : f32[]
        %wide = Const value={9} : f32[]
        )" + rest);
}

double step_after(const std::string& rest) {
    return smallest_step_after(*convolution(rest)->find("y"));
}

TEST(SmallestStepAfter, IsThatOfTheFinestReader) {
    const std::string coarse =
        "%f = FakeQuantize(%y, %l, %wide, %l, %wide) levels=256\n"
        "%r = Result(%f)\n";
    EXPECT_DOUBLE_EQ(step_after(coarse), 10.0 / 255);
    EXPECT_DOUBLE_EQ(step_after(coarse + "%a = ReLU(%y)\n"
                                         "%g = FakeQuantize(%a, %l, %h, %l, %h) levels=256\n"
                                         "%s = Result(%g)"),
                     5.0 / 255);
}

TEST(SmallestStepAfter, IsUnknownWhereSomethingElseReads) {
    const std::string fq = "%f = FakeQuantize(%y, %l, %h, %l, %h) levels=256\n%r = Result(%f)\n";
    EXPECT_EQ(step_after(fq + "%s = Result(%y)"), 0);
    EXPECT_EQ(step_after(fq + "%e = Exp(%y)\n%s = Result(%e)"), 0);
}

TEST(MayOverflow, FromTheLargestSumOfAChannelOn) {
    const auto model = convolution("%r = Result(%y)");
    const Node& node = *model->find("y");
    // 18 weights of 127 by 255: far below 2^31.
    const Tensor weights = Tensor::of(Shape{1, 2, 3, 3}, std::vector<std::int8_t>(18, -127));
    EXPECT_FALSE(may_overflow(node, weights, 0.0f));
    // 2286 * (255 + z) > 2^31 - 1 from z = 939152 on.
    EXPECT_FALSE(may_overflow(node, weights, 939151.0f));
    EXPECT_TRUE(may_overflow(node, weights, 939152.0f));
    EXPECT_TRUE(may_overflow(node, weights, -939152.0f));
    // Beyond the largest zero point, whatever the weights.
    const Tensor zeros = Tensor::of(Shape{1, 2, 3, 3}, std::vector<std::int8_t>(18, 0));
    EXPECT_FALSE(may_overflow(node, zeros, kLargestZeroPoint));
    EXPECT_TRUE(may_overflow(node, zeros, 2 * kLargestZeroPoint));
}

TEST(LargestMagnitude, IsThatOfEitherSign) {
    EXPECT_EQ(largest_magnitude(ChannelValues({-7, 3}, 1)), 7.0f);
    EXPECT_EQ(largest_magnitude(ChannelValues({-2, 3}, 1)), 3.0f);
}

TEST(ExplainFloatOperand, NamesTheOneInFloat) {
    const auto explained = [](bool src_quantized, bool wei_quantized) {
        const auto model = convolution("%r = Result(%y)");
        PassContext context;
        explain_float_operand(*model->find("y"), "pass", src_quantized, wei_quantized, context);
        return refusal_at(context, "y");
    };
    EXPECT_THAT(explained(false, true), StartsWith("src_not_quantized: the source comes from"));
    EXPECT_THAT(explained(true, false), StartsWith("weights_not_quantized: the second operand"));
    EXPECT_EQ(explained(true, true), "");
    EXPECT_EQ(explained(false, false), "");
}

}  // namespace
}  // namespace fuseq::testing
