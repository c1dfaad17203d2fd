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
    check("i16[5,700]", "i8[700,9]", "", "i32[9]");  // sums of more than 32 bits
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

// u16 less a zero point other than the middle leaves 16 bits; windows at the edges see fewer weights.
TEST(MakeWideFilter, ZeroPointsThatLeave16Bits) {
    for (const std::string zero : {"0", "7", "32768", "65535"}) {
        const std::string attributes =
            "input_scales=[0.0005] input_zero_points=[" + zero + "] method=TFLITE ";
        const auto step = [&](const std::string& op, const std::string& weights,
                              const std::string& windows) {
            return check_on_devices(layer(op, "u16[1,6,5,7]", weights, attributes + windows), 8)
                .step_of("y");
        };
        EXPECT_EQ(step("QuantizedConvolution", "i8[8,3,3,3]",
                       "strides=[1,2] pads_begin=[1,2] pads_end=[1,0] groups=2 output_type=i32"),
                  kConvolution);
        EXPECT_EQ(step("QuantizedDeconvolution", "i8[6,5,3,3]", "strides=[2,2] output_type=i32"),
                  kDeconvolution);
    }
}

TEST(MakeWideFilter, RealValues) {
    const std::string attributes = "input_scales=[0.0005] output_type=f32 method=NATIVE ";
    EXPECT_EQ(check_on_devices(layer("QuantizedConvolution", "u16[1,4,5,6]", "i16[7,4,3,3]",
                                     attributes + "strides=[1,1] input_zero_points=[9]", "i64[7]"),
                               9)
                  .step_of("y"),
              kConvolution);
    EXPECT_EQ(check_on_devices(layer("QuantizedMatMul", "i16[5,6]", "i8[6,7]", attributes), 9)
                  .step_of("y"),
              kProduct);
}

// FakeQuantize with steps of 1, so that x are the integers themselves: 3000 products of 16 x 16
// bits with sums beyond 2^40, against arithmetic of 128 bits.
TEST(MakeWideFilter, FakeQuantizesOf16BitsHaveExactSums) {
    constexpr std::size_t kDepth = 3000, kColumns = 5;
    const unsigned seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    // Less a zero point of 32767 the highest integer leaves 16 bits.
    for (const int low : {0, -32767, -32768, -32769, -20000}) {
        Tensor x(ElementType::f32, {3, kDepth});
        for (std::size_t i = 0; i < x.get_size(); ++i) {
            const int q = i % 7 == 0 ? 65535 : i % 7 == 1 ? 0 : static_cast<int>(random() % 65536);
            x.data<float>()[i] = static_cast<float>(low + q);
        }
        const std::string limits = std::to_string(low) + "} : f32[]\n%h = Const value={" +
                                   std::to_string(low + 65535) + "} : f32[]\n";
        const std::shared_ptr<Model> model = Model::from_text(
            "model \"m\"\n%x = Parameter : f32[3,3000]\n%l = Const value={" + limits +
            "%q = FakeQuantize(%x, %l, %h, %l, %h) levels=65536\n"
            "%w = Const value=random(1,-32768,32767) : i16[3000,5]\n"
            "%c = Convert(%w) destination_type=f32\n%s = Const value={0.25} : f32[]\n"
            "%m = Multiply(%c, %s)\n%y = MatMul(%q, %m)\n%r = Result(%y)");
        const DeviceRun run = run_on("CPU", model, {x});
        EXPECT_EQ(run.step_of("y"), kProduct);
        const auto weights = model->find("w")->constant().values<std::int16_t>();
        for (std::size_t i = 0; i < 3 * kColumns; ++i) {
            __extension__ __int128 sum = 0;
            for (std::size_t k = 0; k < kDepth; ++k) {
                sum += static_cast<std::int64_t>(x.data<float>()[i / kColumns * kDepth + k]) *
                       weights[k * kColumns + i % kColumns];
            }
            EXPECT_EQ(run.outputs[0].data<float>()[i],
                      static_cast<float>(static_cast<std::int64_t>(sum)) * 0.25f)
                << low << " " << i;
        }
    }
}

TEST(MakeWideFilter, LeavesTheRestToTheReference) {
    const auto step = [](const std::string& op, const std::string& src, const std::string& weights,
                         const std::string& attributes) {
        return check_on_devices(layer(op, src, weights, attributes), 6).step_of("y");
    };
    EXPECT_EQ(step("QuantizedConvolution", "i16[1,2,4,6,7]", "i8[9,2,3,3,3]",
                   "strides=[1,1,1] input_scales=[0.0005] output_type=i16 method=NATIVE"),
              "QuantizedConvolution reference")
        << "three dimensions";
    EXPECT_EQ(step("QuantizedMatMul", "i16[5,6]", "i8[5,7]",
                   "transpose_a=true input_scales=[0.0005] output_type=i16 method=NATIVE"),
              "QuantizedMatMul reference");
}

}  // namespace
}  // namespace fuseq::test
