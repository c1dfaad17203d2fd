// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kRow = in<std::int8_t>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});

TEST(Split, CutsEqualParts) {
    const auto out = run_op("Split", 1, "num_splits=2", {kRow, int_scalar(-1)});
    expect_tensor<std::int8_t>(out.at(0), {2, 2}, {1, 2, 5, 6});
    expect_tensor<std::int8_t>(out.at(1), {2, 2}, {3, 4, 7, 8});
    const auto rows = run_op("Split", 1, "num_splits=2", {kRow, int_scalar(0)});
    expect_tensor<std::int8_t>(rows.at(1), {1, 4}, {5, 6, 7, 8});
}

TEST(VariadicSplit, CutsGivenLengths) {
    const auto out =
        run_op("VariadicSplit", 1, "", {kRow, int_scalar(1), ints({1, -1, 0})}, Dynamic::kSkip);
    ASSERT_EQ(out.size(), 3u);
    expect_tensor<std::int8_t>(out[0], {2, 1}, {1, 5});
    expect_tensor<std::int8_t>(out[1], {2, 3}, {2, 3, 4, 6, 7, 8});
    expect_tensor<std::int8_t>(out[2], {2, 0}, {});
}

TEST(Split, InfersOpenShapes) {
    EXPECT_EQ(
        shape_of("Split", 1, "num_splits=3", {open(ElementType::f32, "[?,6]"), int_scalar(1)}),
        "[?,2]");
    EXPECT_EQ(
        shape_of("Split", 1, "num_splits=3", {open(ElementType::f32, "[?,6]"), int_scalar(0)}),
        "[?,6]");
    const std::vector<In> inputs = {open(ElementType::f32, "[?,1..9]"), int_scalar(1),
                                    ints({2, -1})};
    EXPECT_EQ(shape_of("VariadicSplit", 1, "", inputs, 0), "[?,2]");
    EXPECT_EQ(shape_of("VariadicSplit", 1, "", inputs, 1), "[?,?]");
}

TEST(Split, RefusesPartsThatDoNotFit) {
    EXPECT_THAT(error_of("Split", 1, "num_splits=3", {kRow, int_scalar(1)}),
                HasSubstr("num_splits 3 does not divide the axis of size 4"));
    EXPECT_THAT(error_of("Split", 1, "num_splits=0", {kRow, int_scalar(1)}),
                HasSubstr("num_splits is 0"));
    EXPECT_THAT(error_of("Split", 1, "num_splits=2", {kRow, int_scalar(2)}),
                HasSubstr("axis is 2"));
    EXPECT_THAT(error_of("VariadicSplit", 1, "", {kRow, int_scalar(1), ints({1, 2})}),
                HasSubstr("add up to 3, the axis has size 4"));
    EXPECT_THAT(error_of("VariadicSplit", 1, "", {kRow, int_scalar(1), ints({5, -1})}),
                HasSubstr("add up to 5"));
    EXPECT_THAT(error_of("VariadicSplit", 1, "", {kRow, int_scalar(1), ints({-1, -1})}),
                HasSubstr("-1 twice"));
    EXPECT_THAT(blind_error_of("Split", 1, "num_splits=3", {kRow, int_scalar(1)}),
                HasSubstr("does not divide"));
}

}  // namespace
}  // namespace fuseq::test
