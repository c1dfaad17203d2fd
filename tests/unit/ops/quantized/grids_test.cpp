// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
// Quantize, Dequantize, Requantize.
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// x / s is 0.5, 1.5, -0.5, and beyond both ends.
TEST(Quantize, RoundsTiesByItsMethod) {
    const auto run = [](const std::string& method) {
        return run_op("Quantize", 1, "scales=0.5; zero_points=1; output_type=u8; method=" + method,
                      {in_f32({5}, {0.25f, 0.75f, -0.25f, 1000, -1000})})[0];
    };
    expect_tensor<std::uint8_t>(run("TFLITE"), {5}, {2, 3, 0, 255, 0});
    expect_tensor<std::uint8_t>(run("ONNX"), {5}, {1, 3, 1, 255, 0});
    expect_tensor<std::uint8_t>(run("NATIVE"), {5}, {2, 2, 0, 255, 0});
}

TEST(Quantize, HasAScaleForEachIndexOfAnAxis) {
    expect_tensor<std::int8_t>(
        run_op("Quantize", 1, "scales=1,2; zero_points=0,10; axis=1; output_type=i8",
               {in_f32({2, 2, 1}, {3, 4, -5, -300})}, Dynamic::kSkip)[0],
        {2, 2, 1}, {3, 12, -5, -128});
}

TEST(Quantize, RefusesWhatIsNoGrid) {
    const auto error = [](const std::string& attributes) {
        return error_of("Quantize", 1, attributes, {in_f32({2}, {1, 2})});
    };
    EXPECT_THAT(error("scales=0; output_type=u8"),
                HasSubstr("scales has the value 0, expected a positive finite number"));
    EXPECT_THAT(error("scales=1; zero_points=256; output_type=u8"),
                HasSubstr("zero_points has the value 256, which u8 does not hold"));
    EXPECT_THAT(error("scales=1,2,3; output_type=u8"),
                HasSubstr("scales has 3 values, the axis 0 has size 2"));
    EXPECT_THAT(error("scales=1; output_type=f32"), HasSubstr("output_type is f32"));
    EXPECT_THAT(error_of("Quantize", 1, "scales=1; output_type=u8", {in<std::int32_t>({1}, {1})}),
                HasSubstr("the source"));
}

TEST(Dequantize, SubtractsAndMultiplies) {
    expect_tensor<float>(run_op("Dequantize", 1, "scales=0.5; zero_points=128",
                                {in<std::uint8_t>({3}, {0, 128, 255})})[0],
                         {3}, {-64, 0, 63.5f});
    expect_tensor<float>(run_op("Dequantize", 1, "scales=0.5,2; axis=-1",
                                {in<std::int32_t>({1, 2}, {100000, -3})}, Dynamic::kSkip)[0],
                         {1, 2}, {50000, -6});
    EXPECT_THAT(error_of("Dequantize", 1, "scales=1", {in_f32({1}, {1})}),
                HasSubstr("the source is f32, expected integers"));
}

// 6 / 4 and -6 / 4.
TEST(Requantize, RoundsByItsMethod) {
    const auto run = [](const std::string& method) {
        return run_op("Requantize", 1,
                      "input_scales=1; input_zero_points=1; output_scale=4; output_zero_point=10; "
                      "output_type=i8; method=" +
                          method,
                      {in<std::int8_t>({2}, {7, -5})})[0];
    };
    expect_tensor<std::int8_t>(run("TFLITE"), {2}, {12, 8});
    expect_tensor<std::int8_t>(run("TFLITE_SINGLE_ROUNDING"), {2}, {12, 9});
    expect_tensor<std::int8_t>(run("ONNX"), {2}, {12, 8});
}

// The sign bit flips; a clamp at the zero point is a ReLU.
TEST(Requantize, MovesBetweenTypesAndClamps) {
    const std::string grids =
        "input_scales=0.1; input_zero_points=128; output_scale=0.1; output_type=i8; "
        "method=TFLITE";
    const In src = in<std::uint8_t>({3}, {0, 130, 255});
    expect_tensor<std::int8_t>(run_op("Requantize", 1, grids, {src})[0], {3}, {-128, 2, 127});
    expect_tensor<std::int8_t>(
        run_op("Requantize", 1, grids + "; clamp_min=0; clamp_max=60", {src})[0], {3}, {0, 2, 60});
}

TEST(Requantize, RefusesGridsThatDoNotFit) {
    const auto error = [](const std::string& attributes) {
        return error_of("Requantize", 1, attributes, {in<std::int8_t>({1}, {1})});
    };
    EXPECT_THAT(error("input_scales=1,1; output_scale=1; output_type=i8"),
                HasSubstr("input_scales has 2 values, expected 1"));
    EXPECT_THAT(error("input_scales=-1; output_scale=1; output_type=i8"),
                HasSubstr("input_scales has the value -1"));
    EXPECT_THAT(error("input_scales=1; output_scale=inf; output_type=i8"),
                HasSubstr("output_scale has the value inf"));
    EXPECT_THAT(error("input_scales=1; input_zero_points=-129; output_scale=1; output_type=i8"),
                HasSubstr("input_zero_points has the value -129, which i8 does not hold"));
    EXPECT_THAT(error("input_scales=1; output_scale=1; output_type=i8; clamp_min=3; clamp_max=2"),
                HasSubstr("clamp_min is 3, clamp_max 2"));
}

}  // namespace
}  // namespace fuseq::test
