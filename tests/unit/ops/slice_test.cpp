// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kGrid = in<std::uint8_t>({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(Slice, CutsNamedAxes) {
    expect_tensor<std::uint8_t>(
        run_op("Slice", 8, "", {kGrid, ints({1}), ints({3}), ints({1}), ints({-1})})[0], {2, 2},
        {2, 3, 5, 6});
    expect_tensor<std::uint8_t>(
        run_op("Slice", 8, "",
               {kGrid, ints({-1, 5}), ints({INT64_MIN, -4}), ints({-2, -1}), ints({1, 0})})[0],
        {2, 2}, {6, 4, 3, 1});
    expect_tensor<std::uint8_t>(
        run_op("Slice", 8, "", {kGrid, ints({0, 2}), ints({1, 2}), ints({1, 1})})[0], {1, 0}, {});
}

TEST(Slice, InfersOpenShapes) {
    EXPECT_EQ(shape_of("Slice", 8, "",
                       {open(ElementType::f32, "[?,4..6,8]"), ints({1}), ints({INT64_MAX}),
                        ints({2}), ints({1})}),
              "[?,2..3,8]");
    EXPECT_EQ(shape_of("Slice", 8, "",
                       {open(ElementType::f32, "[3,4]"), open(ElementType::i64, "[1]"), ints({2}),
                        ints({1}), ints({1})}),
              "[3,?]");
    EXPECT_EQ(shape_of("Slice", 8, "",
                       {open(ElementType::f32, "[3,4]"), ints({0}), ints({2}), ints({1}),
                        open(ElementType::i64, "[1]")}),
              "[?,?]");
}

TEST(Slice, RefusesBadBounds) {
    EXPECT_THAT(error_of("Slice", 8, "", {kGrid, ints({0}), ints({1}), ints({0})}),
                HasSubstr("step has the value 0"));
    EXPECT_THAT(error_of("Slice", 8, "", {kGrid, ints({0, 0}), ints({1}), ints({1, 1})}),
                HasSubstr("stop has 1 values, expected 2"));
    EXPECT_THAT(
        error_of("Slice", 8, "", {kGrid, ints({0, 0}), ints({1, 1}), ints({1, 1}), ints({1, -1})}),
        HasSubstr("axis 1 twice"));
    EXPECT_THAT(error_of("Slice", 8, "", {kGrid, ints({0}), ints({1}), ints({1}), ints({2})}),
                HasSubstr("axes is 2"));
    EXPECT_THAT(blind_error_of("Slice", 8, "", {kGrid, ints({0}), ints({1}), ints({0})}),
                HasSubstr("step has the value 0"));
}

}  // namespace
}  // namespace fuseq::test
