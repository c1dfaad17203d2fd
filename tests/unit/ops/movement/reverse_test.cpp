// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kGrid = in_f32({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(Reverse, TakesAxesByNumber) {
    const auto reversed = [](const std::vector<std::int64_t>& axes) {
        return run_op("Reverse", 1, "mode=index", {kGrid, ints(axes)})[0];
    };
    expect_tensor<float>(reversed({0}), {2, 3}, {4, 5, 6, 1, 2, 3});
    expect_tensor<float>(reversed({-1}), {2, 3}, {3, 2, 1, 6, 5, 4});
    expect_tensor<float>(reversed({1, 0}), {2, 3}, {6, 5, 4, 3, 2, 1});
    expect_tensor<float>(reversed({}), {2, 3}, {1, 2, 3, 4, 5, 6});
}

TEST(Reverse, TakesAMask) {
    const auto reversed = [](bool rows, bool columns) {
        return run_op("Reverse", 1, "mode=mask", {kGrid, constant<bool>({2}, {rows, columns})})[0];
    };
    expect_tensor<float>(reversed(true, false), {2, 3}, {4, 5, 6, 1, 2, 3});
    expect_tensor<float>(reversed(false, true), {2, 3}, {3, 2, 1, 6, 5, 4});
    expect_tensor<float>(reversed(false, false), {2, 3}, {1, 2, 3, 4, 5, 6});
}

TEST(Reverse, MovesElementsOfAnyTypeAndNone) {
    expect_tensor<std::int8_t>(
        run_op("Reverse", 1, "mode=index", {in<std::int8_t>({1, 3}, {1, -2, 3}), ints({1})})[0],
        {1, 3}, {3, -2, 1});
    expect_tensor<float>(run_op("Reverse", 1, "mode=index", {in_f32({0, 2}, {}), ints({0})})[0],
                         {0, 2}, {});
}

TEST(Reverse, InfersOpenShapes) {
    EXPECT_EQ(shape_of("Reverse", 1, "mode=index",
                       {open(ElementType::f32, "[?,3]"), open(ElementType::i64, "[?]")}),
              "[?,3]");
    EXPECT_EQ(shape_of("Reverse", 1, "mode=mask",
                       {open(ElementType::f32, "..."), open(ElementType::boolean, "[?]")}),
              "[...]");
}

TEST(Reverse, RefusesBadAxes) {
    EXPECT_THAT(error_of("Reverse", 1, "mode=index", {kGrid, ints({2})}),
                HasSubstr("axes is 2, expected a value in [-2, 1]"));
    EXPECT_THAT(error_of("Reverse", 1, "mode=index", {kGrid, ints({0, -2})}),
                HasSubstr("axes names axis 0 twice"));
    EXPECT_THAT(error_of("Reverse", 1, "mode=index", {kGrid, constant<bool>({2}, {true, true})}),
                HasSubstr("axes is boolean, expected an integer type"));
    EXPECT_THAT(error_of("Reverse", 1, "mode=mask", {kGrid, ints({1, 0})}),
                HasSubstr("the mask is i64, expected boolean"));
    EXPECT_THAT(error_of("Reverse", 1, "mode=mask", {kGrid, constant<bool>({1}, {true})}),
                HasSubstr("the mask has 1 values, expected 2"));
    EXPECT_THAT(blind_error_of("Reverse", 1, "mode=index", {kGrid, ints({2})}),
                HasSubstr("axes is 2"));
}

}  // namespace
}  // namespace fuseq::test
