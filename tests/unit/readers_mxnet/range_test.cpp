// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mxnet/range.hpp"

#include <gtest/gtest.h>

namespace fuseq::mxnet_reader {
namespace {

// Worked by hand: scale (max - min) / steps; the zero point from the end with the smaller error.
TEST(MxnetRange, IsAGridByTheFormulaOfTflite) {
    const Grid grid = grid_of_range(-1, 3, 0, 255);
    EXPECT_FLOAT_EQ(grid.scale, 4.0F / 255);
    EXPECT_EQ(grid.zero_point, 64);                             // 255 / 4 = 63.75
    EXPECT_EQ(grid_of_range(-1, 1, 0, 255).zero_point, 128);    // 127.5, half away
    EXPECT_EQ(grid_of_range(-1, 1, -128, 127).zero_point, -1);  // -0.5, half away
    EXPECT_EQ(grid_of_range(-255, 0, 0, 255).zero_point, 255);
}

TEST(MxnetRange, IncludesZero) {
    EXPECT_FLOAT_EQ(grid_of_range(2, 5, 0, 255).scale, 5.0F / 255);
    EXPECT_EQ(grid_of_range(2, 5, 0, 255).zero_point, 0);
    EXPECT_FLOAT_EQ(grid_of_range(-5, -2, 0, 255).scale, 5.0F / 255);
    EXPECT_EQ(grid_of_range(-5, -2, 0, 255).zero_point, 255);
}

TEST(MxnetRange, OfNothingHasNoScale) {
    EXPECT_EQ(grid_of_range(0, 0, 0, 255).scale, 0);
}

TEST(MxnetRange, OfSignedIntegersIsSymmetric) {
    EXPECT_EQ(grid_of(ElementType::i8, -1, 127).scale, 1.0F);
    EXPECT_EQ(grid_of(ElementType::i8, -254, 127).scale, 2.0F);
    EXPECT_EQ(grid_of(ElementType::i8, -254, 127).zero_point, 0);
    EXPECT_EQ(grid_of(ElementType::i32, 0, 2147483647.0).scale, 1.0F);
    EXPECT_EQ(grid_of(ElementType::u8, 0, 255).scale, 1.0F);
}

}  // namespace
}  // namespace fuseq::mxnet_reader
