// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"
#include "transformations/low_precision/dequantize_text.hpp"
#include "transformations/low_precision/move_dequantize_down.hpp"

namespace fuseq::testing {
namespace {

using ::testing::StartsWith;

std::string resized(const std::string& integers, const std::string& attributes) {
    return model(integers +
                 "%n = Const value={8,6} : i64[2]\n%f = Const value={2,1.5} : f32[2]\n"
                 "%a = Const value={2,3} : i64[2]\n%y = Interpolate.4(%x, %n, %f, %a) "
                 "shape_calculation_mode=sizes " +
                 attributes);
}

TEST(MoveThroughInterpolate, TheNearestElementStaysAnInteger) {
    const PassTest test = run_pass(
        move_dequantize_down,
        resized(dq("x", "u8[1,2,4,4]", "0.5,2", "3,1.25", "f32[1,2,1,1]"), "mode=nearest"));
    EXPECT_EQ(test.after->find("y")->port().type, element::u8);
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(MoveThroughInterpolate, BetweenIntegersTheScaleAndTheShiftStandAfter) {
    for (const char* mode : {"mode=linear_onnx", "mode=linear"}) {
        const PassTest test =
            run_pass(move_dequantize_down,
                     resized(dq("x", "u8[1,2,4,4]", "0.5,2", "3,1.25", "f32[1,2,1,1]"), mode));
        const Node* resize = test.after->find("y");
        EXPECT_EQ(resize->input_node(0)->type(), "Convert");
        EXPECT_EQ(resize->input_node(0)->input(0).type(), element::u8);
        EXPECT_EQ(resize->port().type, element::f32);
        const Node* subtract = resize->port().uses.at(0).node;
        EXPECT_EQ(subtract->type(), "Subtract");
        EXPECT_EQ(subtract->port().uses.at(0).node->type(), "Multiply");
        EXPECT_LT(largest_difference(test), 1e-4);
    }
}

TEST(MoveThroughInterpolate, NothingIsGainedAfterAConversion) {
    const PassTest test =
        run_pass(move_dequantize_down, resized("%x_q = Parameter : u8[1,2,4,4]\n"
                                               "%x = Convert(%x_q) destination_type=f32\n",
                                               "mode=linear_onnx"));
    EXPECT_FALSE(test.changed);
}

TEST(MoveThroughInterpolate, RefusesOtherModes) {
    const PassTest test =
        run_pass(move_dequantize_down, resized(dq("x", "u8[1,2,4,4]", "0.5", ""), "mode=cubic"));
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(refusal_at(test.context, "y"), "other_mode: mode cubic computes between integers");
}

TEST(MoveThroughInterpolate, RefusesScalesOfAResizedDimension) {
    for (const char* mode : {"mode=linear", "mode=nearest"}) {
        const PassTest test =
            run_pass(move_dequantize_down,
                     resized(dq("x", "u8[1,2,4,4]", "1,2,3,4", "", "f32[1,1,4,1]"), mode));
        EXPECT_FALSE(test.changed);
        EXPECT_THAT(refusal_at(test.context, "y"), StartsWith("channel_dimension: "));
    }
}

TEST(MoveThroughInterpolate, RefusesPaddingThatIsNoZero) {
    for (const std::string mode : {"mode=nearest", "mode=linear_onnx"}) {
        const std::string attributes = mode + " pads_begin=[0,0,1,1]";
        const PassTest refused =
            run_pass(move_dequantize_down, resized(dq("x", "u8[1,2,4,4]", "0.5", "3"), attributes));
        EXPECT_THAT(refusal_at(refused.context, "y"), StartsWith("zero_point: "));
        const PassTest zero =
            run_pass(move_dequantize_down, resized(dq("x", "u8[1,2,4,4]", "0.5", ""), attributes));
        EXPECT_TRUE(zero.changed);
        EXPECT_LT(largest_difference(zero), 1e-4);
    }
}

}  // namespace
}  // namespace fuseq::testing
