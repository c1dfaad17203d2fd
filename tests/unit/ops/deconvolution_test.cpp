// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kLine = in_f32({1, 1, 3}, {1, 2, 3});
const In kKernel = in_f32({1, 1, 2}, {1, 10});

std::vector<Tensor> deconvolve(const char* attributes, std::vector<In> more = {}) {
    std::vector<In> inputs = {kLine, kKernel};
    inputs.insert(inputs.end(), more.begin(), more.end());
    return run_op("ConvolutionBackpropData", 1, attributes, inputs);
}

TEST(Deconvolution, AddsTheKernelAtEveryPosition) {
    expect_tensor<float>(deconvolve("strides=1")[0], {1, 1, 4}, {1, 12, 23, 30});
    expect_tensor<float>(deconvolve("strides=2")[0], {1, 1, 6}, {1, 10, 2, 20, 3, 30});
    expect_tensor<float>(deconvolve("strides=1; dilations=2")[0], {1, 1, 5}, {1, 2, 13, 20, 30});
}

TEST(Deconvolution, PaddingCutsAndOutputPaddingAdds) {
    expect_tensor<float>(deconvolve("strides=2; pads_begin=1; pads_end=2")[0], {1, 1, 3},
                         {10, 2, 20});
    expect_tensor<float>(deconvolve("strides=2; output_padding=1")[0], {1, 1, 7},
                         {1, 10, 2, 20, 3, 30, 0});
    // auto_pad without an output shape cuts nothing.
    expect_tensor<float>(deconvolve("strides=1; auto_pad=same_upper; pads_begin=1")[0], {1, 1, 4},
                         {1, 12, 23, 30});
}

TEST(Deconvolution, AnOutputShapeDecidesThePadding) {
    // The full result is 1 10 2 20 3 30; one of six elements too many goes at one end.
    expect_tensor<float>(deconvolve("strides=2; auto_pad=same_lower", {ints({5})})[0], {1, 1, 5},
                         {1, 10, 2, 20, 3});
    expect_tensor<float>(deconvolve("strides=2; auto_pad=same_upper", {ints({5})})[0], {1, 1, 5},
                         {10, 2, 20, 3, 30});
    expect_tensor<float>(deconvolve("strides=2; pads_begin=2", {ints({3})})[0], {1, 1, 3},
                         {2, 20, 3});
    expect_tensor<float>(deconvolve("strides=2", {ints({4})})[0], {1, 1, 4}, {10, 2, 20, 3});
    // auto_pad=valid leaves no padding; the end is cut off.
    expect_tensor<float>(deconvolve("strides=2; auto_pad=valid", {ints({4})})[0], {1, 1, 4},
                         {1, 10, 2, 20});
    // More than there is: zeros at the end.
    expect_tensor<float>(deconvolve("strides=2; auto_pad=same_lower", {ints({7})})[0], {1, 1, 7},
                         {1, 10, 2, 20, 3, 30, 0});
}

TEST(Deconvolution, SumsChannelsIn2D) {
    const In src = in_f32({1, 2, 1, 1}, {2, 3});
    const In wei = in_f32({2, 1, 2, 2}, {1, 2, 3, 4, 10, 20, 30, 40});
    expect_tensor<float>(run_op("ConvolutionBackpropData", 1, "strides=1,1", {src, wei})[0],
                         {1, 1, 2, 2}, {32, 64, 96, 128});
}

TEST(Deconvolution, Groups) {
    const In src = in_f32({1, 2, 1}, {2, 3});
    const In wei = in_f32({2, 1, 2, 1}, {1, 2, 10, 20});
    expect_tensor<float>(run_op("GroupConvolutionBackpropData", 1, "strides=1", {src, wei})[0],
                         {1, 4, 1}, {2, 4, 30, 60});
}

TEST(Deconvolution, BytesGiveRealsAndTakeZeroPoints) {
    const In src = in<std::uint8_t>({1, 2, 1}, {130, 100});
    const In wei = in<std::int8_t>({2, 1, 1}, {3, -1});
    expect_tensor<float>(run_op("ConvolutionBackpropData", 1, "strides=1", {src, wei})[0],
                         {1, 1, 1}, {290});
    const In one = constant<std::uint8_t>({}, {128});
    expect_tensor<float>(run_op("ConvolutionBackpropData", 1, "strides=1",
                                {src, wei, absent(), one}, Dynamic::kSkip)[0],
                         {1, 1, 1}, {34});
    const In each = constant<std::uint8_t>({2}, {128, 99});
    expect_tensor<float>(run_op("ConvolutionBackpropData", 1, "strides=1",
                                {src, wei, absent(), each}, Dynamic::kSkip)[0],
                         {1, 1, 1}, {5});
}

// (130 - 128) * (3 - 0.5) + (100 - 128) * (-1 - 0.5), and with a second channel of weights 2, 0.
TEST(Deconvolution, WeightsWithZeroPoints) {
    const In src = in<std::uint8_t>({1, 2, 1}, {130, 100});
    const In zero = constant<std::uint8_t>({}, {128});
    expect_tensor<float>(run_op("ConvolutionBackpropData", 1, "strides=1",
                                {src, in<std::int8_t>({2, 2, 1}, {3, 2, -1, 0}), absent(), zero,
                                 in_f32({2}, {0.5f, -1})},
                                Dynamic::kSkip)[0],
                         {1, 2, 1}, {47, -22});
    EXPECT_THAT(error_of("ConvolutionBackpropData", 1, "strides=1",
                         {src, in<std::int8_t>({2, 1, 1}, {3, -1}), absent(), zero,
                          in_f32({2}, {0.5f, -1})}),
                HasSubstr("there are 2 zero points, expected 1 or 1"));
}

TEST(Deconvolution, InfersOpenShapes) {
    const auto shape = [](const char* src) {
        return shape_of("ConvolutionBackpropData", 1, "strides=2,2",
                        {open(ElementType::f32, src), open(ElementType::f32, "[4,8,2,3]")});
    };
    EXPECT_EQ(shape("[?,4,2..5,7]"), "[?,8,4..10,15]");
    EXPECT_EQ(shape("..."), "[...]");
    EXPECT_EQ(shape_of("ConvolutionBackpropData", 1, "strides=2,2",
                       {open(ElementType::f32, "[1,4,2,7]"), open(ElementType::f32, "[4,8,2,3]"),
                        open(ElementType::i64, "[2]")}),
              "[1,8,?,?]");
}

TEST(Deconvolution, RefusesBadAttributes) {
    const auto error = [](const char* attributes, std::vector<In> inputs) {
        return error_of("ConvolutionBackpropData", 1, attributes, inputs);
    };
    EXPECT_THAT(error("strides=0", {kLine, kKernel}), HasSubstr("strides has the value 0"));
    EXPECT_THAT(error("strides=1; output_padding=-1", {kLine, kKernel}),
                HasSubstr("output_padding has the value -1"));
    EXPECT_THAT(error("strides=1; pads_begin=4", {kLine, kKernel}), HasSubstr("dst has size 0"));
    EXPECT_THAT(error("strides=1", {kLine, in_f32({2, 1, 1}, {1, 1})}),
                HasSubstr("src has 1 channels"));
    EXPECT_THAT(error("strides=1", {kLine, in_f32({1, 1}, {1})}), HasSubstr("wei has rank 2"));
    EXPECT_THAT(error("strides=1", {kLine, kKernel, ints({3, 3})}),
                HasSubstr("output_shape has 2 values"));
    EXPECT_THAT(error("strides=1", {kLine, kKernel, ints({0})}),
                HasSubstr("output_shape has the value 0"));
    EXPECT_THAT(blind_error_of("ConvolutionBackpropData", 1, "strides=0", {kLine, kKernel}),
                HasSubstr("strides has the value 0"));
}

}  // namespace
}  // namespace fuseq::test
