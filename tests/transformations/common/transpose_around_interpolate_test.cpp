// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/transpose_around_interpolate.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

std::string model(const std::string& axes, const std::string& attributes) {
    return R"(model "m"
        %x = Parameter : f32[1,4,6,3]
        %sizes = Const value={7,5} : i64[2]
        %scales = Const value={1.75,0.75} : f32[2]
        %axes = Const value={)" +
           axes + R"(} : i64[2]
        %y = Interpolate.4(%x, %sizes, %scales, %axes) )" +
           attributes + R"(
        %r = Result(%y))";
}

constexpr const char* kLinear = "mode=linear shape_calculation_mode=sizes";

TEST(TransposeAroundInterpolate, ResizesPicturesAsPlanes) {
    for (const char* axes : {"1,2", "-3,-2"}) {
        const PassTest test = run_pass(transpose_around_interpolate, model(axes, kLinear));
        EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : f32[1,4,6,3]
        %o = Const value={0,3,1,2} : i64[4]
        %t = Transpose(%x, %o)
        %sizes = Const value={7,5} : i64[2]
        %scales = Const value={1.75,0.75} : f32[2]
        %axes = Const value={2,3} : i64[2]
        %i = Interpolate.4(%t, %sizes, %scales, %axes) mode=linear shape_calculation_mode=sizes
        %b = Const value={0,2,3,1} : i64[4]
        %y = Transpose(%i, %b)
        %r = Result(%y))"),
                  "")
            << axes;
        EXPECT_LT(largest_difference(test), 1e-5);
    }
}

TEST(TransposeAroundInterpolate, KeepsTheOrderOfTheAxes) {
    for (const char* attributes : {"mode=nearest shape_calculation_mode=scales",
                                   "mode=linear_onnx shape_calculation_mode=sizes"}) {
        const PassTest test = run_pass(transpose_around_interpolate, model("2,1", attributes));
        EXPECT_TRUE(test.changed) << attributes;
        EXPECT_LT(largest_difference(test), 1e-5) << attributes;
    }
}

TEST(TransposeAroundInterpolate, LeavesOthers) {
    for (const auto& [axes, attributes] :
         {std::pair<const char*, const char*>{"2,3", kLinear},
          {"1,3", kLinear},
          {"1,2", "mode=cubic shape_calculation_mode=sizes"},
          {"1,2", "mode=linear shape_calculation_mode=sizes antialias=true"},
          {"1,2", "mode=linear shape_calculation_mode=sizes pads_begin=[0,1,0,0]"}}) {
        EXPECT_FALSE(run_pass(transpose_around_interpolate, model(axes, attributes)).changed)
            << axes << " " << attributes;
    }
}

}  // namespace
}  // namespace fuseq::testing
