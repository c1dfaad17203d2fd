// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"
#include "transformations/low_precision/dequantize_text.hpp"
#include "transformations/low_precision/move_dequantize_down.hpp"
#include "transformations/support/dequantize.hpp"

namespace fuseq::testing {
namespace {

using ::testing::StartsWith;

// The result of the arithmetic, %p, read by a convolution of quantized weights.
std::string before_convolution(const std::string& body,
                               const std::string& type,
                               const std::string& shape) {
    return model(body + "%i = Const value=random(5,-127,127) : i8" + shape +
                 "\n%ic = Convert(%i) destination_type=f32\n%t = Const value={0.5} : f32[]\n"
                 "%w = Multiply(%ic, %t)\n%y = " +
                 type + "(%p, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]");
}

TEST(MoveThroughArithmetic, ConstantsJoinTheNumbersOfTheDequantize) {
    const PassTest test = run_pass(
        move_dequantize_down,
        before_convolution(dq("x", "u8[1,2,4,4]", "0.5", "3") +
                               "%a = Const value={2} : f32[]\n%m = Multiply(%x, %a)\n"
                               "%b = Const value={-0.5} : f32[1,1,1,1]\n%p = Add(%m, %b)\n",
                           "Convolution", "[3,2,3,3]"));
    EXPECT_TRUE(test.changed);
    const auto found = match_dequantize(test.after->find("y")->input(0));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->q.node->name(), "x_q");
    EXPECT_EQ(found->scale, ChannelValues(1.0f));
    EXPECT_EQ(found->zero_point, ChannelValues(3.5f));
    EXPECT_EQ(found->origins, (std::vector<std::string>{"x", "m", "p"}));
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(MoveThroughArithmetic, ChannelsInFrontOfADepthwiseConvolution) {
    const std::string body = dq("x", "u8[1,2,4,4]", "0.5", "3") +
                             "%a = Const value={2,4} : f32[1,2,1,1]\n%p = Multiply(%x, %a)\n";
    const PassTest test =
        run_pass(move_dequantize_down, before_convolution(body, "GroupConvolution", "[2,1,1,3,3]"));
    EXPECT_TRUE(test.changed);
    const auto found = match_dequantize(test.after->find("y")->input(0));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->scale, ChannelValues({1, 2}, 1));
    EXPECT_EQ(largest_difference(test), 0.0);
    const PassTest dense =
        run_pass(move_dequantize_down, before_convolution(body, "Convolution", "[3,2,3,3]"));
    EXPECT_FALSE(dense.changed);
    EXPECT_THAT(refusal_at(dense.context, "p"), StartsWith("per_channel_constant: "));
}

TEST(MoveThroughArithmetic, IsLeftToFloatReaders) {
    const PassTest test = run_pass(move_dequantize_down,
                                   model(dq("x", "u8[1,2,4,4]", "0.5", "3") +
                                         "%a = Const value={2} : f32[]\n%y = Multiply(%x, %a)"));
    EXPECT_FALSE(test.changed);
    EXPECT_TRUE(test.context.remarks().empty());
}

TEST(MoveThroughArithmetic, RefusesWhatF32CannotHoldWell) {
    for (const char* arithmetic : {"%a = Const value={1e6} : f32[]\n%p = Add(%x, %a)\n",
                                   "%a = Const value={0} : f32[]\n%p = Multiply(%x, %a)\n"}) {
        const PassTest test =
            run_pass(move_dequantize_down,
                     before_convolution(dq("x", "u8[1,2,4,4]", "0.5", "3") + arithmetic,
                                        "Convolution", "[3,2,3,3]"));
        EXPECT_FALSE(test.changed);
        EXPECT_THAT(refusal_at(test.context, "p"), StartsWith("out_of_range: "));
    }
}

TEST(MoveThroughArithmetic, RefusesConstantsOfOtherShapes) {
    const PassTest test = run_pass(
        move_dequantize_down, before_convolution(dq("x", "u8[1,2,2,2]", "0.5", "3") +
                                                     "%a = Const value=random(1) : f32[1,1,2,2]\n"
                                                     "%p = Add(%x, %a)\n",
                                                 "Convolution", "[3,2,3,3]"));
    EXPECT_FALSE(test.changed);
    EXPECT_THAT(refusal_at(test.context, "p"), StartsWith("constant_shape: "));
}

}  // namespace
}  // namespace fuseq::testing
