// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of 16 bits, and of bytes with sums beyond 2^24, on the CPU device: the integers of the
// reference kernels, and which step computes them.
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

constexpr const char* kConvolution = "convolution fuseq:wide_product";
constexpr const char* kDeconvolution = "deconvolution fuseq:wide_product";
constexpr const char* kProduct = "matmul fuseq:wide_product";

std::string layer(const std::string& op,
                  const std::string& src,
                  const std::string& weights,
                  const std::string& attributes,
                  const std::string& bias = "") {
    return "model \"m\"\n%x = Parameter : " + src +
           "\n%w = Const value=random(1,-127,127) : " + weights + "\n" +
           (bias.empty() ? "" : "%b = Const value=random(2,-90000,90000) : " + bias + "\n") +
           "%y = " + op + "(%x, %w" + (bias.empty() ? "" : ", %b") +
           ") weight_scales=[0.0021] output_scale=0.71 " + attributes + "\n%r = Result(%y)";
}

constexpr const char* kTflite16 = "input_scales=[0.0005] output_type=i16 method=TFLITE ";

TEST(MakeWideFilter, ConvolutionsOf16Bits) {
    const auto check = [](const std::string& src, const std::string& weights,
                          const std::string& attributes, const std::string& bias = "") {
        const DeviceRun run = check_on_devices(
            layer("QuantizedConvolution", src, weights, kTflite16 + attributes, bias), 1);
        EXPECT_EQ(run.step_of("y"), kConvolution) << src << " " << weights << " " << attributes;
    };
    check("i16[1,8,9,11]", "i8[24,8,3,3]", "strides=[1,1] pads_begin=[1,1] pads_end=[1,1]");
    check("i16[2,7,9,11]", "i8[5,7,3,2]", "strides=[2,3] pads_begin=[2,0] pads_end=[0,1]",
          "i64[5]");
    check("i16[1,6,13,12]", "i8[8,3,3,3]", "strides=[1,1] dilations=[2,3] groups=2", "i32[8]");
    check("i16[1,9,4,4]", "i8[9,1,3,3]", "strides=[1,1] groups=9 depthwise=true");
    check("i16[1,9,10,6]", "i8[7,6,3,3]", "strides=[2,2] auto_pad=same_upper channels_last=true");
    check("i16[2,5,33]", "i8[19,5,4]", "strides=[2] pads_begin=[3] pads_end=[2]");
    // Columns whose whole kernel lies in the padding.
    check("i16[1,2,3,3]", "i8[4,2,1,1]", "strides=[1,1] pads_begin=[2,2] pads_end=[2,2]", "i32[4]");
}

TEST(MakeWideFilter, DeconvolutionsOf16Bits) {
    const auto check = [](const std::string& src, const std::string& weights,
                          const std::string& attributes, const std::string& bias = "") {
        const DeviceRun run = check_on_devices(
            layer("QuantizedDeconvolution", src, weights, kTflite16 + attributes, bias), 2);
        EXPECT_EQ(run.step_of("y"), kDeconvolution) << src << " " << weights << " " << attributes;
    };
    check("i16[1,8,5,6]", "i8[8,24,4,4]", "strides=[2,2] pads_begin=[1,1] pads_end=[1,1]");
    check("i16[2,6,5,6]", "i8[6,4,3,2]", "strides=[3,2] groups=2", "i64[8]");
    check("i16[1,3,4,5]", "i8[3,5,3,3]", "strides=[1,2] dilations=[2,1] output_padding=[0,1]");
    check("i16[1,4,5,7]", "i8[7,9,2,2]", "strides=[3,3] channels_last=true");  // holes
    check("i16[1,3,17]", "i8[3,5,4]", "strides=[2] output_sizes=[33]");
}

TEST(MakeWideFilter, MatrixProductsOf16Bits) {
    const auto check = [](const std::string& src, const std::string& weights,
                          const std::string& attributes, const std::string& bias = "") {
        const DeviceRun run = check_on_devices(
            layer("QuantizedMatMul", src, weights, kTflite16 + attributes, bias), 3);
        EXPECT_EQ(run.step_of("y"), kProduct) << src << " " << weights << " " << attributes;
    };
    check("i16[1,67]", "i8[33,67]", "transpose_b=true", "i64[33]");
    check("i16[2,3,7,40]", "i8[40,16]", "");
    check("i16[61,9]", "i8[9,5]", "alpha=0.5", "i32[5]");
}

// Types, zero points and rules, sums of i32, and weights of 16 bits.
TEST(MakeWideFilter, AnyGrid) {
    const auto step = [](const std::string& src, const std::string& weights,
                         const std::string& attributes) {
        return check_on_devices(
                   layer("QuantizedConvolution", src, weights, "strides=[1,1] " + attributes), 4)
            .step_of("y");
    };
    for (const char* method : {"NATIVE", "ONNX", "TFLITE_SINGLE_ROUNDING"}) {
        EXPECT_EQ(step("u16[1,5,6,7]", "i8[9,5,3,3]",
                       "input_scales=[0.0005] input_zero_points=[32768] output_zero_point=32000 "
                       "output_type=u16 method=" +
                           std::string(method)),
                  kConvolution)
            << method;
    }
    EXPECT_EQ(step("i16[1,5,6,7]", "i16[9,5,3,3]",
                   "input_scales=[0.0005] output_type=i16 method=NATIVE clamp_min=0 clamp_max=90"),
              kConvolution);
    EXPECT_EQ(step("i16[1,5,6,7]", "i8[9,5,3,3]",
                   "input_scales=[0.0005] weight_zero_points=[-31] output_type=i8 method=NATIVE"),
              kConvolution);
    EXPECT_EQ(step("i16[1,5,6,7]", "i8[9,5,3,3]", "input_scales=[0.0005] output_type=i32"),
              kConvolution);
}

// Bytes whose sums an f32 need not hold: 1500 * 252 times the mean magnitude of 64 is beyond 2^24.
TEST(MakeWideFilter, DeepLayersOfBytes) {
    const DeviceRun run = check_on_devices(
        layer("QuantizedMatMul", "u8[5,1500]", "i8[1500,20]",
              "input_scales=[0.01] input_zero_points=[3] output_type=u8 method=TFLITE"),
        5);
    EXPECT_EQ(run.step_of("y"), kProduct);
}

TEST(MakeWideFilter, LeavesTheRestToTheReference) {
    const auto step = [](const std::string& op, const std::string& src, const std::string& weights,
                         const std::string& attributes) {
        return check_on_devices(layer(op, src, weights, attributes), 6).step_of("y");
    };
    EXPECT_EQ(step("QuantizedConvolution", "u16[1,5,6,7]", "i8[9,5,3,3]",
                   "strides=[1,1] input_scales=[0.0005] input_zero_points=[7] output_type=i16 "
                   "method=NATIVE"),
              "QuantizedConvolution reference")
        << "u16 less 7 leaves 16 bits";
    EXPECT_EQ(step("QuantizedConvolution", "i16[1,2,4,6,7]", "i8[9,2,3,3,3]",
                   "strides=[1,1,1] input_scales=[0.0005] output_type=i16 method=NATIVE"),
              "QuantizedConvolution reference")
        << "three dimensions";
    EXPECT_EQ(step("QuantizedMatMul", "i16[5,6]", "i8[6,7]",
                   "input_scales=[0.0005] output_type=f32 method=NATIVE"),
              "QuantizedMatMul reference");
    EXPECT_EQ(step("QuantizedMatMul", "i16[5,6]", "i8[5,7]",
                   "transpose_a=true input_scales=[0.0005] output_type=i16 method=NATIVE"),
              "QuantizedMatMul reference");
}

}  // namespace
}  // namespace fuseq::test
