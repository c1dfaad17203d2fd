// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
// QuantizedAveragePool, QuantizedMaxPool, QuantizedMean, QuantizedLeakyRelu, QuantizedTable,
// QuantizedSoftmax, QuantizedResizeBilinear.
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr const char* kSame = "input_scales=1; output_scale=1; output_type=i8; ";

// The means 0.5, 1.5 and -0.5.
TEST(QuantizedAveragePool, RoundsByItsMethod) {
    const auto run = [](const std::string& method) {
        return run_op("QuantizedAveragePool", 1,
                      std::string(kSame) + "kernel=1,2; strides=1,2; method=" + method,
                      {in<std::int8_t>({1, 1, 1, 6}, {0, 1, 1, 2, -1, 0})})[0];
    };
    expect_tensor<std::int8_t>(run("TFLITE"), {1, 1, 1, 3}, {1, 2, -1});
    expect_tensor<std::int8_t>(run("ONNX"), {1, 1, 1, 3}, {0, 2, 0});
}

// 4 and 8 with one zero before them.
TEST(QuantizedAveragePool, CountsThePaddingWhereAsked) {
    const auto run = [](const std::string& more) {
        return run_op("QuantizedAveragePool", 1,
                      std::string(kSame) +
                          "kernel=1,2; strides=1,1; pads_begin=0,1; pads_end=0,0; "
                          "channels_last=true; method=ONNX; " +
                          more,
                      {in<std::int8_t>({1, 1, 2, 1}, {4, 8})})[0];
    };
    expect_tensor<std::int8_t>(run("exclude_pad=true"), {1, 1, 2, 1}, {4, 6});
    expect_tensor<std::int8_t>(run("exclude_pad=false"), {1, 1, 2, 1}, {2, 6});
}

TEST(QuantizedAveragePool, InfersOpenShapes) {
    const auto shape = [](const std::string& src) {
        return shape_of("QuantizedAveragePool", 1,
                        std::string(kSame) + "kernel=2,2; strides=2,2; channels_last=true",
                        {open(ElementType::i8, src)});
    };
    EXPECT_EQ(shape("[?,8,?,3]"), "[?,4,?,3]");
    EXPECT_EQ(shape("..."), "[?,?,?,?]");
    EXPECT_THAT(error_of("QuantizedAveragePool", 1, std::string(kSame) + "kernel=9,9; strides=1,1",
                         {open(ElementType::i8, "[1,1,8,8]")}),
                HasSubstr("the kernel does not fit into the padded src of size 8"));
}

TEST(QuantizedMaxPool, TakesMaximaAndClamps) {
    const auto run = [](const std::string& more) {
        return run_op("QuantizedMaxPool", 1, std::string(kSame) + "kernel=1,2; strides=1,1" + more,
                      {in<std::int8_t>({1, 1, 1, 3}, {1, 5, -3})})[0];
    };
    expect_tensor<std::int8_t>(run(""), {1, 1, 1, 2}, {5, 5});
    expect_tensor<std::int8_t>(run("; clamp_max=4"), {1, 1, 1, 2}, {4, 4});
    EXPECT_THAT(error_of("QuantizedMaxPool", 1,
                         "input_scales=1; output_scale=2; output_type=i8; kernel=1; strides=1",
                         {open(ElementType::i8, "[1,1,8]")}),
                HasSubstr("src and dst have different grids"));
}

// 5 / 3, and -3 / 2.
TEST(QuantizedMean, RoundsByItsMethod) {
    const auto run = [](const std::string& more, const In& src) {
        return run_op("QuantizedMean", 1, more, {src}, Dynamic::kSkip)[0];
    };
    const std::string same = kSame;
    expect_tensor<std::int8_t>(
        run(same + "axes=1; keep_dims=true; method=ONNX", in<std::int8_t>({1, 3}, {1, 2, 2})),
        {1, 1}, {2});
    // -1.5: half to even, cut off, half up, half away from zero.
    const In src = in<std::int8_t>({1, 1, 2, 1}, {-1, -2});
    expect_tensor<std::int8_t>(run(same + "axes=2; method=ONNX", src), {1, 1, 1}, {-2});
    expect_tensor<std::int8_t>(run(same + "axes=2; method=TFLITE", src), {1, 1, 1}, {-1});
    expect_tensor<std::int8_t>(run(same + "axes=2; method=TFLITE_LEGACY", src), {1, 1, 1}, {-1});
    expect_tensor<std::int8_t>(run(same + "axes=1,2; image=true; method=TFLITE", src), {1, 1},
                               {-2});
    // 0.75 * -1.5 is -1.125; D2 of -3 by 0.75 is -2, half of it -1.
    const std::string other = "input_scales=0.75; output_scale=1; output_type=i8; ";
    expect_tensor<std::int8_t>(run(other + "axes=2; method=TFLITE", src), {1, 1, 1}, {-1});
    expect_tensor<std::int8_t>(run(other + "axes=1,2; image=true; method=TFLITE", src), {1, 1},
                               {-1});
    EXPECT_THAT(error_of("QuantizedMean", 1, same + "axes=2", {open(ElementType::i8, "[1,1]")}),
                HasSubstr("axes is 2, expected a value in [-2, 1]"));
}

// 2, 22 and 3: 2 / sqrt(497) * 128 is 11.48. TFLite rounds 256 times the mantissa of the root to 184 first, and
// 184 / 16 = 11.5 to 12; 126.31 becomes 127 likewise (TFLite 2.9).
TEST(QuantizedL2Normalization, RoundsTwiceAsTflite) {
    const auto run = [](const std::string& method, const In& from) {
        return run_op("QuantizedL2Normalization", 1,
                      "input_scales=0.1; input_zero_points=128; output_scale=0.0078125; "
                      "output_zero_point=128; output_type=u8; method=" +
                          method,
                      {from}, Dynamic::kSkip)[0];
    };
    const In src = in<std::uint8_t>({1, 3}, {130, 150, 131});
    expect_tensor<std::uint8_t>(run("ONNX", src), {1, 3}, {139, 254, 145});
    expect_tensor<std::uint8_t>(run("TFLITE", src), {1, 3}, {140, 255, 145});
    expect_tensor<std::uint8_t>(run("TFLITE", in<std::uint8_t>({1, 2}, {128, 128})), {1, 2},
                                {128, 128});
    EXPECT_THAT(
        error_of("QuantizedL2Normalization", 1, "input_scales=1; output_scale=1; output_type=u8",
                 {open(ElementType::u8, "[1,1]")}),
        HasSubstr("dst is not u8 of scale 1/128 with zero point 128"));
}

// (100 + 100 + 56) / 2 = 128, of which TFLite keeps the low bits; on one grid those of 256 itself.
TEST(QuantizedSum, KeepsLowBitsOrSaturatesByItsMethod) {
    const In src = in<std::int8_t>({1, 3}, {100, 100, 56});
    const auto run = [&](const std::string& grid, const std::string& method) {
        return run_op(
            "QuantizedSum", 1,
            "input_scales=1; output_type=i8; axes=1; output_scale=" + grid + "; method=" + method,
            {src}, Dynamic::kSkip)[0];
    };
    expect_tensor<std::int8_t>(run("2", "TFLITE"), {1}, {-128});
    expect_tensor<std::int8_t>(run("2", "ONNX"), {1}, {127});
    expect_tensor<std::int8_t>(run("1", "TFLITE"), {1}, {0});
    expect_tensor<std::int8_t>(run("1; output_zero_point=3", "TFLITE"), {1}, {3});
    EXPECT_THAT(
        error_of("QuantizedSum", 1, "input_scales=1; output_scale=1; output_type=u16; axes=1",
                 {open(ElementType::u16, "[1,1]")}),
        HasSubstr("output_type is u16, expected u8, i8 or i16"));
    expect_tensor<std::int16_t>(
        run_op("QuantizedSum", 1,
               "input_scales=1; output_type=i16; axes=1; output_scale=1; method=TFLITE",
               {in<std::int16_t>({1, 2}, {30000, 30000})}, Dynamic::kSkip)[0],
        {1}, {-5536});
}

// The mean of 3 and 4 is 3.5; with a zero point of 1 on both sides 2.5 + 1, rounded to 3 + 1 by the
// integers as they are: D2 of 7 by a half is 4, and the zero points cancel.
TEST(QuantizedMean, BytesOfAnImageCarryTheirZeroPointAsABias) {
    const std::string grid =
        "input_scales=1; input_zero_points=1; output_scale=1; "
        "output_zero_point=1; output_type=u8; axes=1,2; image=true; method=TFLITE";
    expect_tensor<std::uint8_t>(run_op("QuantizedMean", 1, grid,
                                       {in<std::uint8_t>({1, 1, 2, 1}, {3, 4})}, Dynamic::kSkip)[0],
                                {1, 1}, {4});
}

// 4, and half of -4 and of -3.
TEST(QuantizedLeakyRelu, HasAMultiplierForEachBranch) {
    const auto run = [](const std::string& method) {
        return run_op("QuantizedLeakyRelu", 1, std::string(kSame) + "alpha=0.5; method=" + method,
                      {in<std::int8_t>({3}, {4, -4, -3})})[0];
    };
    expect_tensor<std::int8_t>(run("TFLITE"), {3}, {4, -2, -1});
    expect_tensor<std::int8_t>(run("ONNX"), {3}, {4, -2, -2});
}

// Sigmoid of 0, 127 and -128 in steps of 1/256; tanh of 0.
TEST(QuantizedTable, HasAResultForEveryInteger) {
    const std::string grid =
        "input_scales=1; output_scale=0.00390625; output_zero_point=-128; output_type=i8; "
        "method=TFLITE; function=";
    const In src = in<std::int8_t>({3}, {0, 127, -128});
    expect_tensor<std::int8_t>(run_op("QuantizedTable", 1, grid + "sigmoid", {src})[0], {3},
                               {0, 127, -128});
    expect_tensor<std::int8_t>(run_op("QuantizedTable", 1, grid + "tanh", {src})[0], {3},
                               {-128, 127, -128});
    EXPECT_THAT(error_of("QuantizedTable", 1, grid + "exp", {open(ElementType::u16, "[1]")}),
                HasSubstr("the source is u16, expected u8, i8 or i16"));
}

// One half each; nearly all, and e^-10 * 256 = 0.0116.
TEST(QuantizedSoftmax, GivesShares) {
    for (const std::string method : {"TFLITE", "ONNX", "NATIVE"}) {
        expect_tensor<std::int8_t>(
            run_op("QuantizedSoftmax", 1,
                   "input_scales=1; output_scale=0.00390625; output_zero_point=-128; "
                   "output_type=i8; axis=0; method=" +
                       method,
                   {in<std::int8_t>({2, 2}, {3, 10, 3, 0})}, Dynamic::kSkip)[0],
            {2, 2}, {0, 127, 0, -128});
    }
}

// What ONNX Runtime 1.30 gives for QLinearSoftmax: 1 / 0.0061 is 163.9, of which it takes 163 (83 - 128 and 83
// otherwise); one element of many steps overflows.
TEST(QuantizedSoftmax, TakesWholeStepsAsOnnxRuntime) {
    const auto run = [](const std::string& grid, const std::string& type, const In& src) {
        return run_op("QuantizedSoftmax", 1,
                      "input_scales=0.05; axis=1; method=ONNX; output_type=" + type + "; " + grid,
                      {src})[0];
    };
    const In unsigned_row = in<std::uint8_t>({1, 5}, {200, 190, 180, 100, 7});
    expect_tensor<std::uint8_t>(
        run("output_scale=0.0061; output_zero_point=30", "u8", unsigned_row), {1, 5},
        {112, 80, 60, 31, 30});
    expect_tensor<std::uint8_t>(run("output_scale=0.0039; output_zero_point=0", "u8", unsigned_row),
                                {1, 5}, {129, 78, 48, 1, 0});
    const In signed_row = in<std::int8_t>({1, 5}, {100, 90, 80, 0, -128});
    expect_tensor<std::int8_t>(run("output_scale=0.0061; output_zero_point=-100", "i8", signed_row),
                               {1, 5}, {-18, -50, -70, -99, -100});
    const In one = in<std::int8_t>({1, 1}, {100});
    const std::string many = "output_scale=0.00390625; output_zero_point=";
    expect_tensor<std::int8_t>(run(many + "-128", "i8", one), {1, 1}, {127});
    expect_tensor<std::int8_t>(run(many + "0", "i8", one), {1, 1}, {-128});
    expect_tensor<std::uint8_t>(run(many + "7", "u8", in<std::uint8_t>({1, 1}, {100})), {1, 1},
                                {7});
}

// Two equal values: log(1/2) is -0.693, -11.09 sixteenths.
TEST(QuantizedSoftmax, GivesLogarithmsOfShares) {
    const auto run = [](const std::string& method) {
        return run_op(
            "QuantizedSoftmax", 1,
            "input_scales=0.1; output_scale=0.0625; output_zero_point=127; output_type=i8; "
            "logarithm=true; method=" +
                method,
            {in<std::int8_t>({1, 2}, {5, 5})})[0];
    };
    expect_tensor<std::int8_t>(run("TFLITE"), {1, 2}, {116, 116});
    expect_tensor<std::int8_t>(run("ONNX"), {1, 2}, {116, 116});
}

// 0, 2.5, 7.5, 10
TEST(QuantizedResizeBilinear, RoundsByItsMethod) {
    const auto run = [](const std::string& method) {
        return run_op("QuantizedResizeBilinear", 1,
                      std::string(kSame) + "sizes=1,4; half_pixel_centers=true; method=" + method,
                      {in<std::int8_t>({1, 1, 1, 2}, {0, 10})})[0];
    };
    expect_tensor<std::int8_t>(run("TFLITE"), {1, 1, 1, 4}, {0, 3, 8, 10});
    expect_tensor<std::int8_t>(run("TFLITE_XNNPACK"), {1, 1, 1, 4}, {0, 3, 8, 10});
    expect_tensor<std::int8_t>(run("ONNX"), {1, 1, 1, 4}, {0, 2, 8, 10});
    // u8 in f32, half up: the place left of the first pixel is that pixel.
    expect_tensor<std::uint8_t>(
        run_op(
            "QuantizedResizeBilinear", 1,
            "input_scales=1; output_scale=1; output_type=u8; sizes=1,4; half_pixel_centers=true; "
            "method=TFLITE",
            {in<std::uint8_t>({1, 1, 1, 2}, {0, 10})})[0],
        {1, 1, 1, 4}, {0, 3, 8, 10});
    expect_tensor<std::int8_t>(
        run_op("QuantizedResizeBilinear", 1,
               std::string(kSame) + "sizes=1,3; align_corners=true; channels_last=true; "
                                    "method=TFLITE",
               {in<std::int8_t>({1, 1, 2, 1}, {0, 10})})[0],
        {1, 1, 3, 1}, {0, 5, 10});
}

}  // namespace
}  // namespace fuseq::test
