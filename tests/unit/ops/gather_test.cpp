// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kTable = in_f32({3, 2}, {1, 2, 3, 4, 5, 6});

TEST(Gather, PicksSlices) {
    expect_tensor<float>(run_op("Gather", 1, "", {kTable, ints({2, 0}), int_scalar(0)})[0], {2, 2},
                         {5, 6, 1, 2});
    expect_tensor<float>(run_op("Gather", 1, "", {kTable, int_scalar(1), int_scalar(1)})[0], {3},
                         {2, 4, 6});
    const In u8 = in<std::uint8_t>({3}, {7, 8, 9});
    expect_tensor<std::uint8_t>(
        run_op("Gather", 1, "", {u8, constant<std::int32_t>({1, 2}, {1, 1}), int_scalar(0)})[0],
        {1, 2}, {8, 8});
}

TEST(Gather, BatchDimensionsPickTheirOwn) {
    const In data = in_f32({2, 3}, {1, 2, 3, 4, 5, 6});
    const In indices = constant<std::int64_t>({2, 2}, {0, 2, 1, 1});
    expect_tensor<float>(run_op("Gather", 7, "batch_dims=1", {data, indices, int_scalar(1)})[0],
                         {2, 2}, {1, 3, 5, 5});
    expect_tensor<float>(run_op("Gather", 8, "batch_dims=-1", {data, indices, int_scalar(-1)})[0],
                         {2, 2}, {1, 3, 5, 5});
}

TEST(Gather, NegativeIndicesCountFromTheEndAndOutsideReadsZero) {
    expect_tensor<float>(run_op("Gather", 8, "", {kTable, ints({-1, 3, -4}), int_scalar(0)})[0],
                         {3, 2}, {5, 6, 0, 0, 0, 0});
}

TEST(Gather, InfersOpenShapes) {
    EXPECT_EQ(shape_of("Gather", 8, "",
                       {open(ElementType::f32, "[?,3,4]"), open(ElementType::i64, "[2..5]"),
                        int_scalar(1)}),
              "[?,2..5,4]");
    EXPECT_EQ(shape_of("Gather", 8, "",
                       {open(ElementType::f32, "[2,3]"), open(ElementType::i64, "[7]"),
                        open(ElementType::i64, "[]")}),
              "[?,?]");
}

TEST(Gather, RefusesBadInputs) {
    EXPECT_THAT(error_of("Gather", 8, "", {kTable, ints({0}), int_scalar(2)}),
                HasSubstr("axis is 2"));
    EXPECT_THAT(error_of("Gather", 8, "batch_dims=2", {kTable, ints({0}), int_scalar(0)}),
                HasSubstr("batch_dims is 2"));
    EXPECT_THAT(error_of("Gather", 8, "batch_dims=1", {kTable, ints({0}), int_scalar(0)}),
                HasSubstr("expected at most the axis 0"));
    EXPECT_THAT(error_of("Gather", 8, "", {kTable, in_f32({1}, {0}), int_scalar(0)}),
                HasSubstr("expected an integer type"));
    EXPECT_THAT(blind_error_of("Gather", 8, "", {kTable, ints({0}), int_scalar(-3)}),
                HasSubstr("axis is -3"));
}

}  // namespace
}  // namespace fuseq::test
