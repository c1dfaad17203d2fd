// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(MatMul, Multiplies) {
    const In a = in_f32({2, 3}, {1, 2, 3, 4, 5, 6});
    const In b = in_f32({3, 2}, {1, 0, 0, 1, 1, 1});
    expect_tensor<float>(run_op("MatMul", 1, "", {a, b})[0], {2, 2}, {4, 5, 10, 11});
}

TEST(MatMul, Transposes) {
    const In a = in_f32({3, 2}, {1, 4, 2, 5, 3, 6});
    const In b = in_f32({2, 3}, {1, 0, 1, 0, 1, 1});
    expect_tensor<float>(run_op("MatMul", 1, "transpose_a=true; transpose_b=true", {a, b})[0],
                         {2, 2}, {4, 5, 10, 11});
}

TEST(MatMul, BroadcastsTheBatch) {
    const In a = in_f32({2, 1, 1, 2}, {1, 2, 3, 4});
    const In b = in_f32({3, 2, 1}, {1, 1, 2, 0, 0, 2});
    expect_tensor<float>(run_op("MatMul", 1, "", {a, b})[0], {2, 3, 1, 1}, {3, 2, 4, 7, 6, 8});
}

TEST(MatMul, VectorsAreRowsAndColumns) {
    const In row = in_f32({2}, {1, 2});
    const In matrix = in_f32({2, 3}, {1, 2, 3, 4, 5, 6});
    expect_tensor<float>(run_op("MatMul", 1, "transpose_a=true", {row, matrix})[0], {3},
                         {9, 12, 15});
    expect_tensor<float>(run_op("MatMul", 1, "transpose_a=true", {matrix, row})[0], {3},
                         {9, 12, 15});
    expect_tensor<float>(run_op("MatMul", 1, "", {row, row})[0], {}, {5});
}

TEST(MatMul, BytesGiveRealsAndTakeZeroPoints) {
    const In a = in<std::uint8_t>({1, 2}, {130, 120});
    const In b = in<std::int8_t>({2, 1}, {3, -2});
    expect_tensor<float>(run_op("MatMul", 1, "", {a, b})[0], {1, 1}, {150});
    const In zero_a = in<std::uint8_t>({}, {128});
    const In zero_b = in<std::int8_t>({1}, {1});
    expect_tensor<float>(run_op("MatMul", 1, "", {a, b, zero_a})[0], {1, 1}, {22});
    expect_tensor<float>(run_op("MatMul", 1, "", {a, b, absent(), zero_b})[0], {1, 1}, {-100});
    expect_tensor<float>(run_op("MatMul", 1, "", {a, b, zero_a, zero_b})[0], {1, 1}, {28});
}

// 2 * (3 - 0.5) - 8 * (-2 - 0.5) and 2 * (1 + 1) - 8 * (0 + 1)
TEST(MatMul, WeightsWithZeroPointsOfColumns) {
    const In a = in<std::uint8_t>({1, 2}, {130, 120});
    const In b = in<std::int8_t>({2, 2}, {3, 1, -2, 0});
    const In zero_a = in<std::uint8_t>({}, {128});
    expect_tensor<float>(run_op("MatMul", 1, "", {a, b, zero_a, in_f32({2}, {0.5f, -1})})[0],
                         {1, 2}, {25, -4});
    EXPECT_THAT(error_of("MatMul", 1, "", {a, b, in_f32({}, {0.5f})}),
                HasSubstr("the zero point, input 2, is not an integer"));
    EXPECT_THAT(error_of("MatMul", 1, "", {a, b, zero_a, in<std::int64_t>({3}, {1, 2, 3})}),
                HasSubstr("there are 3 zero points, expected 1 or 2"));
}

TEST(MatMul, WideIntegersKeepTheirType) {
    const In a = in<std::int64_t>({1, 2}, {1LL << 60, 3});
    const In b = in<std::int64_t>({2, 1}, {1, 1});
    expect_tensor<std::int64_t>(run_op("MatMul", 1, "", {a, b})[0], {1, 1}, {(1LL << 60) + 3});
}

TEST(MatMul, EmptyDepthGivesZeros) {
    expect_tensor<float>(run_op("MatMul", 1, "", {in_f32({2, 0}, {}), in_f32({0, 1}, {})})[0],
                         {2, 1}, {0, 0});
}

TEST(MatMul, InfersOpenShapes) {
    const auto shape = [](const char* a, const char* b) {
        return shape_of("MatMul", 1, "transpose_b=true",
                        {open(ElementType::f32, a), open(ElementType::f32, b)});
    };
    EXPECT_EQ(shape("[?,1,64]", "[10,64]"), "[?,1,10]");
    EXPECT_EQ(shape("[2..4,5,?]", "[1..8,?]"), "[2..4,5,1..8]");
    EXPECT_EQ(shape("...", "[10,64]"), "[...]");
}

TEST(MatMul, RefusesWhatDoesNotMatch) {
    const In a = in_f32({2, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_THAT(error_of("MatMul", 1, "", {a, a}), HasSubstr("3 columns against 2 rows"));
    EXPECT_THAT(blind_error_of("MatMul", 1, "", {a, a}), HasSubstr("3 columns against 2 rows"));
    EXPECT_THAT(error_of("MatMul", 1, "", {a, in_f32({}, {1})}), HasSubstr("rank 1 or more"));
    EXPECT_THAT(
        error_of("MatMul", 1, "", {in_f32({2, 1, 1}, {1, 1}), in_f32({3, 1, 1}, {1, 1, 1})}),
        HasSubstr("cannot be broadcast"));
    EXPECT_THAT(error_of("MatMul", 1, "", {a, in<std::int8_t>({3, 1}, {1, 1, 1})}),
                HasSubstr("expected the same type"));
    EXPECT_THAT(error_of("MatMul", 1, "transpose_b=true", {a, a, in<std::uint8_t>({}, {1})}),
                HasSubstr("zero points need u8 or i8"));
}

}  // namespace
}  // namespace fuseq::test
