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

TEST(MoveThroughInterpolate, RefusesWhatComputesBetweenIntegers) {
    const PassTest test = run_pass(move_dequantize_down,
                                   resized(dq("x", "u8[1,2,4,4]", "0.5", ""), "mode=linear_onnx"));
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(refusal_at(test.context, "y"),
              "not_nearest: mode linear_onnx computes between integers");
}

TEST(MoveThroughInterpolate, RefusesPaddingThatIsNoZero) {
    const PassTest test =
        run_pass(move_dequantize_down,
                 resized(dq("x", "u8[1,2,4,4]", "0.5", "3"), "mode=nearest pads_begin=[0,0,1,1]"));
    EXPECT_THAT(refusal_at(test.context, "y"), StartsWith("zero_point: "));
}

}  // namespace
}  // namespace fuseq::testing
