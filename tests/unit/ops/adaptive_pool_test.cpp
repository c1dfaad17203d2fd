// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kLine = in_f32({1, 1, 5}, {1, 2, 9, 4, 5});

TEST(AdaptivePool, WindowsOverlapWhereTheyDoNotDivide) {
    // Five into three: [0, 2), [1, 4), [3, 5).
    expect_tensor<float>(run_op("AdaptiveAvgPool", 8, "", {kLine, ints({3})})[0], {1, 1, 3},
                         {1.5F, 5, 4.5F});
    const auto out = run_op("AdaptiveMaxPool", 8, "index_element_type=i32", {kLine, ints({3})});
    expect_tensor<float>(out[0], {1, 1, 3}, {2, 9, 5});
    expect_tensor<std::int32_t>(out[1], {1, 1, 3}, {1, 2, 4});
}

TEST(AdaptivePool, PlanesAndBytes) {
    const In x = in<std::uint8_t>({1, 2, 2, 2}, {1, 2, 3, 6, 8, 7, 6, 5});
    expect_tensor<std::uint8_t>(run_op("AdaptiveAvgPool", 8, "", {x, ints({1, 1})})[0],
                                {1, 2, 1, 1}, {3, 6});
    expect_tensor<std::int64_t>(run_op("AdaptiveMaxPool", 8, "", {x, ints({1, 2})})[1],
                                {1, 2, 1, 2}, {2, 3, 0, 1});
}

TEST(AdaptivePool, InfersOpenShapes) {
    EXPECT_EQ(
        shape_of("AdaptiveAvgPool", 8, "", {open(ElementType::f32, "[?,3,?,?]"), ints({2, 1})}),
        "[?,3,2,1]");
    EXPECT_EQ(shape_of("AdaptiveMaxPool", 8, "",
                       {open(ElementType::f32, "..."), open(ElementType::i64, "[2]")}, 1),
              "[?,?,?,?]");
}

TEST(AdaptivePool, RefusesBadSizes) {
    EXPECT_THAT(error_of("AdaptiveAvgPool", 8, "", {kLine, ints({0})}),
                HasSubstr("output_shape has the value 0"));
    EXPECT_THAT(error_of("AdaptiveAvgPool", 8, "", {kLine, ints({1, 1})}),
                HasSubstr("output_shape has 2 values, expected 1"));
    EXPECT_THAT(error_of("AdaptiveMaxPool", 8, "index_element_type=f32", {kLine, ints({1})}),
                HasSubstr("index_element_type is f32"));
    EXPECT_THAT(blind_error_of("AdaptiveAvgPool", 8, "", {in_f32({1, 1, 0}, {}), ints({1})}),
                HasSubstr("has no elements"));
}

}  // namespace
}  // namespace fuseq::test
