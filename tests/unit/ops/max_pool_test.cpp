// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "ops/pooling.hpp"
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In k4x4 = in_f32({1, 1, 4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});

TEST(MaxPool, TakesTheMaximumOfEveryWindow) {
    const auto out = run_op("MaxPool", 1, "kernel=2,2; strides=2,2", {k4x4});
    expect_tensor<float>(out[0], {1, 1, 2, 2}, {6, 8, 14, 16});
}

TEST(MaxPool, CeilRoundingAddsThePartialWindow) {
    const In x = in_f32({1, 1, 3}, {-3, -1, -2});
    expect_tensor<float>(run_op("MaxPool", 1, "kernel=2; strides=2; rounding_type=floor", {x})[0],
                         {1, 1, 1}, {-1});
    expect_tensor<float>(run_op("MaxPool", 1, "kernel=2; strides=2; rounding_type=ceil", {x})[0],
                         {1, 1, 2}, {-1, -2});
}

TEST(MaxPool, PaddingNeverWins) {
    const In x = in_f32({1, 1, 2}, {-3, -1});
    const auto out = run_op("MaxPool", 1, "kernel=2; strides=1; pads_begin=1; pads_end=1", {x});
    expect_tensor<float>(out[0], {1, 1, 3}, {-3, -1, -1});
}

TEST(MaxPool, AutoPadSameKeepsTheSizeOverStride) {
    const In x = in_f32({1, 1, 4}, {1, 4, 2, 3});
    expect_tensor<float>(run_op("MaxPool", 1, "kernel=2; strides=1; auto_pad=same_upper", {x})[0],
                         {1, 1, 4}, {4, 4, 3, 3});
    expect_tensor<float>(run_op("MaxPool", 1, "kernel=2; strides=1; auto_pad=same_lower", {x})[0],
                         {1, 1, 4}, {1, 4, 4, 3});
    // Ceil rounding adds nothing to "same".
    EXPECT_EQ(shape_of("MaxPool", 1, "kernel=1; strides=3; auto_pad=same_upper; rounding_type=ceil",
                       {open(ElementType::f32, "[1,1,5]")}),
              "[1,1,2]");
}

TEST(MaxPool, RunsOnBytesAndInThreeDimensions) {
    const In u8 = in<std::uint8_t>({1, 1, 4}, {1, 200, 3, 255});
    expect_tensor<std::uint8_t>(run_op("MaxPool", 1, "kernel=2; strides=2", {u8})[0], {1, 1, 2},
                                {200, 255});
    const In i8 = in<std::int8_t>({1, 1, 4}, {-100, -90, -128, -128});
    expect_tensor<std::int8_t>(run_op("MaxPool", 1, "kernel=2; strides=2", {i8})[0], {1, 1, 2},
                               {-90, -128});
    const In cube = in_f32({1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    expect_tensor<float>(run_op("MaxPool", 1, "kernel=2,2,2; strides=1,1,1", {cube})[0],
                         {1, 1, 1, 1, 1}, {8});
}

TEST(MaxPool8, DilatesAndGivesIndices) {
    const In x = in_f32({1, 2, 1, 5}, {1, 9, 3, 4, 5, 6, 2, 8, 8, 1});
    const auto out = run_op("MaxPool", 8, "kernel=1,2; strides=1,1; dilations=1,2", {x});
    expect_tensor<float>(out[0], {1, 2, 1, 3}, {3, 9, 5, 8, 8, 8});
    expect_tensor<std::int64_t>(out[1], {1, 2, 1, 3}, {2, 1, 4, 7, 8, 7});
}

TEST(MaxPool8, CountsIndicesFromTheAxis) {
    const In x = in_f32({2, 1, 2, 2}, {1, 2, 3, 4, 8, 7, 6, 5});
    const auto all = run_op("MaxPool", 8, "kernel=2,2; strides=1,1; index_element_type=i32", {x});
    expect_tensor<std::int32_t>(all[1], {2, 1, 1, 1}, {3, 4});
    const auto image = run_op("MaxPool", 8, "kernel=2,2; strides=1,1; axis=2", {x});
    expect_tensor<std::int64_t>(image[1], {2, 1, 1, 1}, {3, 0});
}

// Three elements and a pad on each side: with stride 2 the third window of two taps begins at place
// 3, after the last element. torch does not count it, ceil does.
TEST(MaxPool14, CeilTorchDropsTheWindowThatBeginsInTheEndPadding) {
    const In x = in_f32({1, 1, 3}, {1, 5, 3});
    const std::string window = "kernel=2; strides=2; pads_begin=1; pads_end=1; rounding_type=";
    expect_tensor<float>(run_op("MaxPool", 14, window + "floor", {x})[0], {1, 1, 2}, {1, 5});
    const float none = -std::numeric_limits<float>::infinity();
    expect_tensor<float>(run_op("MaxPool", 14, window + "ceil", {x})[0], {1, 1, 3}, {1, 5, none});
    const auto torch = run_op("MaxPool", 14, window + "ceil_torch", {x});
    expect_tensor<float>(torch[0], {1, 1, 2}, {1, 5});
    expect_tensor<std::int64_t>(torch[1], {1, 1, 2}, {0, 1});
}

TEST(MaxPool14, CeilTorchKeepsTheWindowThatBeginsInSrc) {
    const In x = in_f32({1, 1, 4}, {1, 5, 3, 2});
    expect_tensor<float>(
        run_op("MaxPool", 14, "kernel=3; strides=2; rounding_type=ceil_torch", {x})[0], {1, 1, 2},
        {5, 3});
    expect_tensor<float>(
        run_op("MaxPool", 14,
               "kernel=2; strides=2; pads_begin=1; pads_end=1; rounding_type=ceil_torch", {x})[0],
        {1, 1, 3}, {1, 5, 2});
}

TEST(MaxPool14, HasTheAttributesOfMaxPool8) {
    const In x = in_f32({1, 2, 1, 5}, {1, 9, 3, 4, 5, 6, 2, 8, 8, 1});
    const auto out =
        run_op("MaxPool", 14,
               "kernel=1,2; strides=1,1; dilations=1,2; axis=2; index_element_type=i32", {x});
    expect_tensor<float>(out[0], {1, 2, 1, 3}, {3, 9, 5, 8, 8, 8});
    expect_tensor<std::int32_t>(out[1], {1, 2, 1, 3}, {2, 1, 4, 2, 3, 2});
}

TEST(MaxPool14, InfersOpenShapes) {
    const auto shape = [](const char* src) {
        return shape_of("MaxPool", 14,
                        "kernel=2; strides=2; pads_begin=1; pads_end=1; rounding_type=ceil_torch",
                        {open(ElementType::f32, src)});
    };
    EXPECT_EQ(shape("[?,2,3..4]"), "[?,2,2..3]");
    EXPECT_EQ(shape("[1,2,3]"), "[1,2,2]");
    EXPECT_EQ(shape("..."), "[?,?,?]");
}

TEST(MaxPool14, RefusesCeilTorchInEarlierVersions) {
    for (const int version : {1, 8}) {
        EXPECT_THAT(
            error_of("MaxPool", version, "kernel=2,2; strides=1,1; rounding_type=ceil_torch",
                     {k4x4}),
            HasSubstr("rounding_type is ceil_torch, expected floor or ceil before opset14"));
    }
    EXPECT_THAT(error_of("MaxPool", 14, "kernel=2,2; strides=1,1; index_element_type=u8", {k4x4}),
                HasSubstr("index_element_type is u8, expected i32 or i64"));
}

TEST(MaxPool, InfersOpenShapes) {
    const auto shape = [](const char* attributes, const char* src) {
        return shape_of("MaxPool", 1, attributes, {open(ElementType::f32, src)});
    };
    EXPECT_EQ(shape("kernel=2,2; strides=2,2", "[?,3,8,4..9]"), "[?,3,4,2..4]");
    EXPECT_EQ(shape("kernel=2,2; strides=2,2", "..."), "[?,?,?,?]");
}

TEST(MaxPool, RefusesBadAttributes) {
    EXPECT_THAT(error_of("MaxPool", 1, "kernel=2,2; strides=0,1", {k4x4}),
                HasSubstr("strides has the value 0"));
    EXPECT_THAT(error_of("MaxPool", 1, "kernel=0,2; strides=1,1", {k4x4}),
                HasSubstr("kernel has the value 0"));
    EXPECT_THAT(error_of("MaxPool", 1, "kernel=2,2; strides=1,1; pads_begin=-1,0", {k4x4}),
                HasSubstr("pads_begin has the value -1"));
    EXPECT_THAT(error_of("MaxPool", 1, "kernel=2; strides=1", {k4x4}), HasSubstr("rank 4"));
    EXPECT_THAT(error_of("MaxPool", 1, "kernel=5,5; strides=1,1", {k4x4}),
                HasSubstr("extent 5 does not fit"));
    EXPECT_THAT(error_of("MaxPool", 8, "kernel=2,2; strides=1,1; axis=4", {k4x4}),
                HasSubstr("axis is 4"));
    EXPECT_THAT(blind_error_of("MaxPool", 1, "kernel=5,5; strides=1,1", {k4x4}),
                HasSubstr("does not fit"));
}

// Asked of any model when it is compiled: the answer must not take a step a window.
TEST(Pooling, FindsWindowsInThePaddingOfHugeDimensions) {
    const Shape src{1, 1, std::size_t{1} << 60};
    PoolAttrs attrs;
    attrs.kernel = {2};
    EXPECT_FALSE(has_window_in_padding(pool_geometry(attrs, src), src));
    attrs.pads_end = {3};
    EXPECT_TRUE(has_window_in_padding(pool_geometry(attrs, src), src));
    attrs.pads_end = {0};
    attrs.pads_begin = {1};
    EXPECT_FALSE(has_window_in_padding(pool_geometry(attrs, src), src));
    attrs.pads_begin = {2};
    EXPECT_TRUE(has_window_in_padding(pool_geometry(attrs, src), src));
}

}  // namespace
}  // namespace fuseq::test
