// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
// QuantizedConvolution, QuantizedDeconvolution, QuantizedMatMul.
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr const char* kConvolution = "QuantizedConvolution";
constexpr const char* kDeconvolution = "QuantizedDeconvolution";
constexpr const char* kMatMul = "QuantizedMatMul";
constexpr const char* kSums =
    "input_scales=1; output_scale=1; output_type=i32; weight_scales=1; strides=1,1; ";

// Sums of 6 and -6 by a multiplier of 1/4.
TEST(QuantizedConvolution, RoundsByItsMethod) {
    const auto run = [](const std::string& method) {
        return run_op(
            kConvolution, 1,
            "input_scales=1; output_scale=4; output_type=i8; weight_scales=1; "
            "strides=1,1; method=" +
                method,
            {in<std::int8_t>({1, 1, 1, 2}, {6, -6}), constant<std::int8_t>({1, 1, 1, 1}, {1})})[0];
    };
    expect_tensor<std::int8_t>(run("TFLITE"), {1, 1, 1, 2}, {2, -1});
    expect_tensor<std::int8_t>(run("TFLITE; depthwise=true"), {1, 1, 1, 2}, {2, -2});
    expect_tensor<std::int8_t>(run("TFLITE_REFERENCE"), {1, 1, 1, 2}, {2, -2});
    expect_tensor<std::int8_t>(run("TFLITE_XNNPACK"), {1, 1, 1, 2}, {2, -2});
    expect_tensor<std::int8_t>(run("TFLITE_SINGLE_ROUNDING"), {1, 1, 1, 2}, {2, -1});
    expect_tensor<std::int8_t>(run("ONNX; output_zero_point=3; clamp_max=4"), {1, 1, 1, 2}, {4, 1});
}

// (1, 2 | 3, 4) with the kernel (1, 2 | 0, 1), padded by zeros at the beginning, plus 100.
TEST(QuantizedConvolution, PadsWithTheZeroPoint) {
    const In src = in<std::uint8_t>({1, 1, 2, 2}, {11, 12, 13, 14});
    const In wei = constant<std::uint8_t>({1, 1, 2, 2}, {2, 3, 1, 2});
    const In bias = constant<std::int32_t>({1}, {100});
    const std::string attributes = std::string(kSums) +
                                   "pads_begin=1,1; pads_end=0,0; input_zero_points=10; "
                                   "weight_zero_points=1";
    expect_tensor<std::int32_t>(run_op(kConvolution, 1, attributes, {src, wei, bias})[0],
                                {1, 1, 2, 2}, {101, 102, 105, 109});
}

// Two groups of one channel each: the pixels (1, 10), (2, 20) times 3 and 4.
TEST(QuantizedConvolution, TakesChannelsLast) {
    const In src = in<std::int8_t>({1, 1, 2, 2}, {1, 10, 2, 20});
    const In wei = constant<std::int8_t>({2, 1, 1, 1}, {3, 4});
    const In bias = constant<std::int64_t>({2}, {1000, 2000});
    expect_tensor<std::int32_t>(
        run_op(kConvolution, 1, std::string(kSums) + "groups=2; channels_last=true",
               {src, wei, bias})[0],
        {1, 1, 2, 2}, {1003, 2040, 1006, 2080});
}

TEST(QuantizedConvolution, HasAScaleForEachOutputChannel) {
    expect_tensor<std::int8_t>(
        run_op(kConvolution, 1,
               "input_scales=0.5; output_scale=1; output_type=i8; weight_scales=1,4; "
               "weight_zero_points=0,1; strides=1; method=TFLITE",
               {in<std::int8_t>({1, 1, 1}, {4}), constant<std::int8_t>({2, 1, 1}, {3, 3})})[0],
        {1, 2, 1}, {6, 16});
}

TEST(QuantizedConvolution, InfersOpenShapes) {
    const auto shape = [](const std::string& src, const std::string& more = "") {
        return shape_of(kConvolution, 1, kSums + more,
                        {open(ElementType::i8, src), open(ElementType::i8, "[8,3,3,3]")});
    };
    EXPECT_EQ(shape("[?,3,8,?]"), "[?,8,6,?]");
    EXPECT_EQ(shape("[1,8,8,3]", "channels_last=true; auto_pad=same_upper"), "[1,8,8,8]");
    EXPECT_EQ(shape("..."), "[...]");
}

TEST(QuantizedConvolution, RefusesWhatDoesNotFit) {
    const auto error = [](const std::string& attributes, const std::string& wei = "[8,3,3,3]") {
        return error_of(kConvolution, 1, attributes,
                        {open(ElementType::i8, "[1,3,8,8]"), open(ElementType::i8, wei),
                         open(ElementType::i32, "[8]")});
    };
    const std::string grids = "input_scales=1; output_scale=1; output_type=i8; strides=1,1; ";
    EXPECT_THAT(error(grids + "weight_scales=1,2"),
                HasSubstr("weight_scales has 2 values, expected 1 or 8"));
    EXPECT_THAT(error(grids + "weight_scales=1; groups=3"), HasSubstr("which 3 groups"));
    EXPECT_THAT(error(grids + "weight_scales=1", "[8,2,3,3]"),
                HasSubstr("src has 3 channels, weights of shape [8,2,3,3] expect 2"));
    EXPECT_THAT(error(grids + "weight_scales=1", "[6,3,3,3]"),
                HasSubstr("the bias has shape [8], expected [6]"));
    EXPECT_THAT(error(grids + "weight_scales=nan"), HasSubstr("weight_scales has the value nan"));
    EXPECT_THAT(error(grids + "weight_scales=1; weight_zero_points=128"),
                HasSubstr("weight_zero_points has the value 128"));
}

// 1 and 2 two apart, each times (1, 10, 100).
TEST(QuantizedDeconvolution, AddsKernels) {
    const In src = in<std::int8_t>({1, 1, 1, 2}, {1, 2});
    const In wei = constant<std::int8_t>({1, 1, 1, 3}, {1, 10, 100});
    const std::string grids =
        "input_scales=1; output_scale=1; output_type=i32; weight_scales=1; strides=1,2; ";
    expect_tensor<std::int32_t>(run_op(kDeconvolution, 1, grids, {src, wei})[0], {1, 1, 1, 5},
                                {1, 10, 102, 20, 200});
    expect_tensor<std::int32_t>(
        run_op(kDeconvolution, 1, grids + "pads_begin=0,1; output_sizes=1,4", {src, wei})[0],
        {1, 1, 1, 4}, {10, 102, 20, 200});
    expect_tensor<std::int32_t>(run_op(kDeconvolution, 1, grids + "channels_last=true",
                                       {in<std::int8_t>({1, 1, 2, 1}, {1, 2}), wei})[0],
                                {1, 1, 5, 1}, {1, 10, 102, 20, 200});
}

TEST(QuantizedDeconvolution, KnowsTheChannelsOfItsGroups) {
    expect_tensor<std::int32_t>(
        run_op(kDeconvolution, 1,
               "input_scales=1; output_scale=1; output_type=i32; weight_scales=1,1; "
               "weight_zero_points=1,2; strides=1; groups=2",
               {in<std::int8_t>({1, 2, 1}, {1, 2}), constant<std::int8_t>({2, 1, 1}, {3, 4})})[0],
        {1, 2, 1}, {2, 4});
}

// (2, 3) by (1, 2 | 3, 4), plus (10, 20).
TEST(QuantizedMatMul, GivesSumsRealValuesAndIntegers) {
    const In a = in<std::int8_t>({1, 2}, {2, 3});
    const In b = constant<std::int8_t>({2, 2}, {1, 2, 3, 4});
    const In bias = constant<std::int32_t>({2}, {10, 20});
    const auto run = [&](const std::string& attributes, const In& weights) {
        return run_op(kMatMul, 1,
                      "input_scales=0.5; output_scale=1; weight_scales=0.5,0.25; " + attributes,
                      {a, weights, bias})[0];
    };
    expect_tensor<std::int32_t>(run("output_type=i32", b), {1, 2}, {21, 36});
    expect_tensor<float>(run("output_type=f32", b), {1, 2}, {5.25f, 4.5f});
    expect_tensor<float>(run("output_type=f32; alpha=2", b), {1, 2}, {10.5f, 9});
    expect_tensor<std::int8_t>(run("output_type=i8; method=ONNX; output_zero_point=1", b), {1, 2},
                               {6, 5});
    const In turned = constant<std::int8_t>({2, 2}, {1, 3, 2, 4});
    expect_tensor<std::int32_t>(run("output_type=i32; transpose_b=true", turned), {1, 2}, {21, 36});
}

TEST(QuantizedMatMul, BroadcastsLeadingDimensions) {
    expect_tensor<std::int32_t>(
        run_op(kMatMul, 1,
               "input_scales=1; input_zero_points=1; output_scale=1; output_type=i32; "
               "weight_scales=1; transpose_a=true",
               {in<std::uint8_t>({2, 2, 1}, {2, 3, 4, 5}), in<std::int8_t>({2, 1}, {1, -1})})[0],
        {2, 1, 1}, {-1, -1});
    EXPECT_THAT(
        error_of(kMatMul, 1, "input_scales=1; output_scale=1; output_type=i32; weight_scales=1",
                 {open(ElementType::i8, "[2,3]"), open(ElementType::i8, "[2,3]")}),
        HasSubstr("the operands do not match: 3 columns against 2 rows"));
}

}  // namespace
}  // namespace fuseq::test
