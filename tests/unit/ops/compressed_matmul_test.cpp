// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr const char* kOp = "CompressedMatMul";

In codes(ElementType type, const Shape& shape, const std::vector<float>& values) {
    const Tensor tensor = Tensor::of<float>(shape, values).to(type);
    return {tensor, false, type, shape, false};
}

// (1, 2, 3, 4) by (1, 2 | 3, 15) less (1 | 8) times (1 | 0.5) and (0, 8 | 4, 5) less (0 | 4) times
// (2 | 0.25).
TEST(CompressedMatMul, TakesGroupsOfTheDepth) {
    const In src = in_f32({1, 4}, {1, 2, 3, 4});
    const In scale = in_f32({2, 2}, {1, 0.5f, 2, 0.25f});
    const In zero_point = in_f32({2, 2}, {1, 8, 0, 4});
    const In rows = codes(ElementType::u4, {2, 4}, {1, 2, 3, 15, 0, 8, 4, 5});
    expect_tensor<float>(run_op(kOp, 1, "transpose_b=true", {src, rows, scale, zero_point})[0],
                         {1, 2}, {8.5f, 33});
    const In columns = codes(ElementType::u8, {4, 2}, {1, 0, 2, 8, 3, 4, 15, 5});
    expect_tensor<float>(run_op(kOp, 1, "", {src, columns, scale, zero_point})[0], {1, 2},
                         {8.5f, 33});
}

TEST(CompressedMatMul, TakesEveryTypeOfCodes) {
    const In src = in_f32({2, 1, 2}, {1, 2, 3, -1});
    const In scale = in_f32({1, 1}, {0.5f});
    const auto run = [&](const In& matrix) {
        return run_op(kOp, 1, "transpose_b=true", {src, matrix, scale})[0];
    };
    expect_tensor<float>(run(codes(ElementType::i8, {1, 2}, {-128, 100})), {2, 1, 1}, {36, -242});
    expect_tensor<float>(run(codes(ElementType::u8, {1, 2}, {255, 1})), {2, 1, 1}, {128.5f, 382});
    expect_tensor<float>(run(codes(ElementType::i4, {1, 2}, {-8, 7})), {2, 1, 1}, {3, -15.5f});
    expect_tensor<float>(run(codes(ElementType::u4, {1, 2}, {15, 2})), {2, 1, 1}, {9.5f, 21.5f});
    expect_tensor<float>(run(codes(ElementType::nf4, {1, 2}, {-1, 1})), {2, 1, 1}, {0.5f, -2});
}

TEST(CompressedMatMul, InfersOpenShapes) {
    const auto shape = [](const std::string& src, const std::string& matrix) {
        return shape_of(kOp, 1, "transpose_b=true",
                        {open(ElementType::f32, src), open(ElementType::u4, matrix),
                         open(ElementType::f32, "[?,?]")});
    };
    EXPECT_EQ(shape("[?,7,16]", "[5,16]"), "[?,7,5]");
    EXPECT_EQ(shape("[16]", "[5,16]"), "[5]");
    EXPECT_EQ(shape("[2,?]", "[?,16]"), "[2,?]");
    EXPECT_EQ(shape("[2,3]", "..."), "[2,?]");
    EXPECT_EQ(shape("...", "[5,16]"), "[...]");
}

TEST(CompressedMatMul, RefusesWhatDoesNotFit) {
    const auto error = [](const std::string& src, const std::string& matrix,
                          const std::string& scale, const std::string& zero_point = "[5,2]") {
        return error_of(kOp, 1, "transpose_b=true",
                        {open(ElementType::f32, src), open(ElementType::i4, matrix),
                         open(ElementType::f32, scale), open(ElementType::f32, zero_point)});
    };
    EXPECT_THAT(error("[1,15]", "[5,16]", "[5,2]"),
                HasSubstr("the source has 15 columns, the codes have 16 rows"));
    EXPECT_THAT(error("[]", "[5,16]", "[5,2]"), HasSubstr("the source is a scalar"));
    EXPECT_THAT(error("[1,16]", "[1,5,16]", "[5,2]"),
                HasSubstr("the codes have shape [1,5,16], expected two dimensions"));
    EXPECT_THAT(error("[1,16]", "[5,16]", "[4,2]"),
                HasSubstr("the scale has shape [4,2], expected a row for each of 5 output"));
    EXPECT_THAT(error("[1,16]", "[5,16]", "[5,3]"),
                HasSubstr("the scale has 3 groups, which do not divide the depth of 16"));
    EXPECT_THAT(error("[1,16]", "[5,16]", "[5,0]"),
                HasSubstr("the scale has 0 groups, which do not divide the depth of 16"));
    EXPECT_THAT(error("[1,16]", "[5,16]", "[5,2]", "[5,1]"),
                HasSubstr("the zero point has shape [5,1], the scale [5,2]"));
    const auto type_error = [](ElementType src, ElementType matrix, ElementType scale,
                               ElementType zero_point) {
        return error_of(kOp, 1, "transpose_b=true",
                        {open(src, "[1,16]"), open(matrix, "[5,16]"), open(scale, "[5,2]"),
                         open(zero_point, "[5,2]")});
    };
    constexpr ElementType kFloat = ElementType::f32;
    constexpr ElementType kCode = ElementType::u8;
    EXPECT_THAT(type_error(kCode, kCode, kFloat, kFloat), HasSubstr("the source is u8"));
    EXPECT_THAT(type_error(kFloat, kFloat, kFloat, kFloat),
                HasSubstr("the codes are f32, expected i8, u8, i4, u4 or nf4"));
    EXPECT_THAT(type_error(kFloat, kCode, kCode, kFloat), HasSubstr("the scale is u8"));
    EXPECT_THAT(type_error(kFloat, kCode, kFloat, kCode), HasSubstr("the zero point is u8"));
}

}  // namespace
}  // namespace fuseq::test
