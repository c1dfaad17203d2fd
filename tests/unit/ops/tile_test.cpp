// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(Tile, Repeats) {
    const In x = in<std::uint8_t>({1, 2}, {1, 2});
    expect_tensor<std::uint8_t>(run_op("Tile", 1, "", {x, ints({2, 2})})[0], {2, 4},
                                {1, 2, 1, 2, 1, 2, 1, 2});
    expect_tensor<std::uint8_t>(run_op("Tile", 1, "", {x, ints({2})})[0], {1, 4}, {1, 2, 1, 2});
    expect_tensor<std::uint8_t>(run_op("Tile", 1, "", {x, ints({2, 1, 1})})[0], {2, 1, 2},
                                {1, 2, 1, 2});
    expect_tensor<std::uint8_t>(run_op("Tile", 1, "", {x, ints({0, 1})})[0], {0, 2}, {});
}

TEST(Tile, InfersOpenShapes) {
    EXPECT_EQ(shape_of("Tile", 1, "", {open(ElementType::f32, "[?,1..2]"), ints({2, 3})}),
              "[?,3..6]");
}

TEST(Tile, RefusesNegativeRepeats) {
    const In x = in_f32({1}, {1});
    EXPECT_THAT(error_of("Tile", 1, "", {x, ints({-1})}), HasSubstr("repeats has the value -1"));
    EXPECT_THAT(blind_error_of("Tile", 1, "", {x, ints({-1})}),
                HasSubstr("repeats has the value -1"));
}

}  // namespace
}  // namespace fuseq::test
