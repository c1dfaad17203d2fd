// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
// Grids found at run time: DynamicQuantize, DequantizeSums, and products with a zero point as an input.
#include <limits>

#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// The examples of ONNX's DynamicQuantizeLinear-11.
TEST(DynamicQuantize, HasTheExamplesOfOnnx) {
    const auto run = [](const std::vector<float>& values) {
        return run_op("DynamicQuantize", 1, "", {in_f32({values.size()}, values)});
    };
    auto result = run({0, 2, -3, -2.5F, 1.34F, 0.5F});
    expect_tensor<std::uint8_t>(result[0], {6}, {153, 255, 0, 26, 221, 179});
    expect_tensor<float>(result[1], {}, {0.0196078438F});
    expect_tensor<std::uint8_t>(result[2], {}, {153});
    result = run({-1.0F, -2.1F, -1.3F, -2.5F, -3.34F, -4.0F});
    expect_tensor<std::uint8_t>(result[0], {6}, {191, 121, 172, 96, 42, 0});
    expect_tensor<float>(result[1], {}, {0.0156862754F});
    expect_tensor<std::uint8_t>(result[2], {}, {255});
    result = run({1, 2.1F, 1.3F, 2.5F, 3.34F, 4.0F, 1.5F, 2.6F, 3.9F, 4.0F, 3.0F, 2.345F});
    expect_tensor<std::uint8_t>(result[0], {12},
                                {64, 134, 83, 159, 213, 255, 96, 166, 249, 255, 191, 149});
    expect_tensor<float>(result[1], {}, {0.0156862754F});
    expect_tensor<std::uint8_t>(result[2], {}, {0});
}

// ONNX Runtime: a scale of 1 where all values are 0.
TEST(DynamicQuantize, TakesValuesWithoutARange) {
    const auto result = run_op("DynamicQuantize", 1, "", {in_f32({2}, {0, 0})});
    expect_tensor<std::uint8_t>(result[0], {2}, {0, 0});
    expect_tensor<float>(result[1], {}, {1.0F});
    expect_tensor<std::uint8_t>(result[2], {}, {0});
}

TEST(DynamicQuantize, NanDoesNotCount) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto result = run_op("DynamicQuantize", 1, "", {in_f32({3}, {nan, 255, 7})});
    expect_tensor<std::uint8_t>(result[0], {3}, {0, 255, 7});
    expect_tensor<float>(result[1], {}, {1.0F});
}

TEST(DynamicQuantize, RefusesIntegers) {
    EXPECT_THAT(error_of("DynamicQuantize", 1, "", {in<std::int8_t>({1}, {1})}),
                HasSubstr("the source is i8, expected f32"));
}

constexpr const char* kSums = "input_scales=1; output_scale=1; output_type=i32; weight_scales=1; ";

// (11, 12 | 13, 14) less 10 with the kernel (1, 2 | 0, 1), padded by zeros at the beginning.
TEST(QuantizedConvolution, TakesAZeroPointOfRunTime) {
    const In src = in<std::uint8_t>({1, 1, 2, 2}, {11, 12, 13, 14});
    const In wei = constant<std::int8_t>({1, 1, 2, 2}, {1, 2, 0, 1});
    const std::string attributes = std::string(kSums) + "strides=1,1; pads_begin=1,1; pads_end=0,0";
    expect_tensor<std::int32_t>(run_op("QuantizedConvolution", 1, attributes,
                                       {src, wei, absent(), in<std::uint8_t>({}, {10})})[0],
                                {1, 1, 2, 2}, {1, 2, 5, 9});
}

TEST(QuantizedMatMul, TakesAZeroPointOfRunTime) {
    const In a = in<std::uint8_t>({1, 2}, {11, 8});
    const In b = constant<std::int8_t>({2, 2}, {1, 2, 3, 4});
    const auto run = [&](const In& zero) {
        return run_op("QuantizedMatMul", 1, kSums, {a, b, absent(), zero})[0];
    };
    expect_tensor<std::int32_t>(run(in<std::uint8_t>({}, {10})), {1, 2}, {-5, -6});
    expect_tensor<std::int32_t>(run(in<std::uint8_t>({1}, {0})), {1, 2}, {35, 54});
    EXPECT_THAT(
        error_of("QuantizedMatMul", 1, kSums, {a, b, absent(), in<std::uint8_t>({2}, {1, 2})}),
        HasSubstr("the zero point of src has shape [2], expected one element"));
    EXPECT_THAT(error_of("QuantizedMatMul", 1, kSums, {a, b, absent(), in_f32({}, {1})}),
                HasSubstr("the zero point of src is f32, expected an integer"));
    EXPECT_THAT(error_of("QuantizedMatMul", 1, std::string(kSums) + "input_zero_points=3",
                         {a, b, absent(), in<std::uint8_t>({}, {1})}),
                HasSubstr("as an input and another one as an attribute"));
}

// 7 - 2 * 3 and -4 - 2 * 5, times 0.5; then the second class of windows.
TEST(DequantizeSums, SubtractsTheZeroPointTimesTheWeights) {
    const In zero = in<std::uint8_t>({}, {2});
    const In half = in_f32({}, {0.5F});
    expect_tensor<float>(
        run_op("DequantizeSums", 1, "weight_sums=3,5", {in_f32({1, 2}, {7, -4}), zero, half})[0],
        {1, 2}, {0.5F, -7});
    expect_tensor<float>(
        run_op("DequantizeSums", 1, "weight_sums=3,5,1,0; row_classes=0; column_classes=0,1",
               {in_f32({1, 1, 2, 2}, {7, -4, 7, -4}), zero, half}, Dynamic::kSkip)[0],
        {1, 1, 2, 2}, {0.5F, -7, 2.5F, -2});
}

// The last column is the sum of the source, 10: 7 + 10 * 1 - 0 and -4 + 10 * -1.
TEST(DequantizeSums, AddsWhatWasTakenFromTheWeights) {
    expect_tensor<float>(
        run_op("DequantizeSums", 1, "weight_sums=0,0; weight_shifts=1,-1",
               {in_f32({1, 3}, {7, -4, 10}), in<std::int8_t>({}, {2}), in_f32({2}, {1, 0.5F})})[0],
        {1, 2}, {17, -7});
}

// 2^24 + 1 is no f32; as integers the parts give it exactly, and it is rounded once.
TEST(DequantizeSums, AddsPartsAsIntegers) {
    const In part = in_f32({1, 1}, {16777216});
    const auto run = [&](float last) {
        return run_op(
            "DequantizeSums", 1, "weight_sums=0",
            {part, in<std::int32_t>({}, {0}), in_f32({}, {1}), part, in_f32({1, 1}, {last})})[0];
    };
    expect_tensor<float>(run(3), {1, 1}, {33554436});
    expect_tensor<float>(run(1), {1, 1}, {33554432});
}

TEST(DequantizeSums, RefusesListsOfAnotherLength) {
    const auto error = [](const std::string& attributes) {
        return error_of("DequantizeSums", 1, attributes,
                        {in_f32({1, 2}, {7, -4}), in<std::int8_t>({}, {2}), in_f32({}, {1})});
    };
    EXPECT_THAT(error("weight_sums=1,2,3"), HasSubstr("weight_sums has 3 values for 2 channels"));
    EXPECT_THAT(error("weight_sums=1,2; row_classes=1; column_classes=0"),
                HasSubstr("a pixel has class 1, of 1"));
    EXPECT_THAT(error("weight_sums=1; weight_shifts=1,2"),
                HasSubstr("weight_shifts has 2 values for 1 channels"));
}

}  // namespace
}  // namespace fuseq::test
