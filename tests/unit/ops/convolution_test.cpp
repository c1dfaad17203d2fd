// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr const char* kLine = "strides=1; dilations=1; ";  // one spatial dimension
constexpr const char* kPlane = "strides=1,1; dilations=1,1";

std::vector<Tensor> line(const std::string& attributes, const std::vector<float>& wei) {
    return run_op("Convolution", 1, attributes,
                  {in_f32({1, 1, 4}, {1, 2, 3, 4}), in_f32({1, 1, wei.size()}, wei)});
}

TEST(Convolution, SlidesAWindow) {
    expect_tensor<float>(line(kLine, {1, 10})[0], {1, 1, 3}, {21, 32, 43});
    expect_tensor<float>(line("strides=2; dilations=1", {1, 10})[0], {1, 1, 2}, {21, 43});
    expect_tensor<float>(line("strides=1; dilations=2", {1, 10})[0], {1, 1, 2}, {31, 42});
}

TEST(Convolution, PadsWithZero) {
    const std::string pads = std::string(kLine) + "pads_begin=1; pads_end=1";
    expect_tensor<float>(line(pads, {1, 10})[0], {1, 1, 5}, {10, 21, 32, 43, 4});
    // Unequal, and wider than the kernel.
    const std::string begin = std::string(kLine) + "pads_begin=3; pads_end=0";
    expect_tensor<float>(line(begin, {1, 10})[0], {1, 1, 6}, {0, 0, 10, 21, 32, 43});
}

TEST(Convolution, PadsByRule) {
    const std::string stride2 = "strides=2; dilations=1; ";
    expect_tensor<float>(line(stride2 + "auto_pad=same_upper", {1, 1, 1})[0], {1, 1, 2}, {6, 7});
    expect_tensor<float>(line(stride2 + "auto_pad=same_lower", {1, 1, 1})[0], {1, 1, 2}, {3, 9});
    expect_tensor<float>(line(stride2 + "auto_pad=valid", {1, 1, 1})[0], {1, 1, 1}, {6});
    // A rule makes the pads of the file meaningless.
    expect_tensor<float>(line(stride2 + "auto_pad=valid; pads_begin=1; pads_end=1", {1, 1, 1})[0],
                         {1, 1, 1}, {6});
}

TEST(Convolution, SumsOverInputChannelsForEachOutputChannel) {
    expect_tensor<float>(run_op("Convolution", 1, kPlane,
                                {in_f32({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                                 in_f32({2, 2, 1, 1}, {1, 10, 0, -1})})[0],
                         {1, 2, 2, 2}, {51, 62, 73, 84, -5, -6, -7, -8});
}

TEST(Convolution, KeepsBatchesApart) {
    expect_tensor<float>(run_op("Convolution", 1, kLine,
                                {in_f32({2, 1, 2}, {1, 2, 3, 4}), in_f32({1, 1, 2}, {1, 10})})[0],
                         {2, 1, 1}, {21, 43});
}

TEST(Convolution, WorksInThreeDimensions) {
    expect_tensor<float>(
        run_op("Convolution", 1, "strides=1,1,1; dilations=1,1,1",
               {in_f32({1, 1, 2, 1, 2}, {1, 2, 3, 4}), in_f32({1, 1, 2, 1, 1}, {10, 100})})[0],
        {1, 1, 1, 1, 2}, {310, 420});
}

// (q - 5) for q = 5, 7 is 0, 2; padding is a real zero, not q = 0.
TEST(Convolution, IntegersWithAZeroPoint) {
    const std::string pads = std::string(kLine) + "pads_begin=1; pads_end=1";
    expect_tensor<float>(
        run_op("Convolution", 1, pads,
               {in<std::uint8_t>({1, 1, 2}, {5, 7}), constant<std::int8_t>({1, 1, 2}, {2, 3}),
                constant<std::int32_t>({}, {5})},
               Dynamic::kSkip)[0],
        {1, 1, 3}, {0, 6, 4});
    expect_tensor<float>(run_op("Convolution", 1, kLine,
                                {in<std::uint8_t>({1, 1, 2}, {255, 255}),
                                 constant<std::int8_t>({1, 1, 2}, {127, 127})},
                                Dynamic::kSkip)[0],
                         {1, 1, 1}, {2 * 255 * 127});
}

// Weights (2 - 0.5, 3 - 0.5) and (4 + 1, -5 + 1) on 0, 2 with zeros around.
TEST(Convolution, WeightsWithZeroPoints) {
    const std::string pads = std::string(kLine) + "pads_begin=1; pads_end=1";
    const In src = in<std::uint8_t>({1, 1, 2}, {5, 7});
    const In wei = constant<std::int8_t>({2, 1, 2}, {2, 3, 4, -5});
    const In zero = constant<std::int32_t>({}, {5});
    const In each = in_f32({2}, {0.5f, -1});
    expect_tensor<float>(run_op("Convolution", 1, pads, {src, wei, zero, each}, Dynamic::kSkip)[0],
                         {1, 2, 3}, {0, 5, 3, 0, -8, 10});
    // 12 * 1.5 + 7 * 2.5 without a zero point of src
    expect_tensor<float>(
        run_op("Convolution", 1, kLine,
               {in<std::uint8_t>({1, 1, 2}, {12, 7}), constant<std::int8_t>({1, 1, 2}, {2, 3}),
                absent(), in_f32({}, {0.5f})},
               Dynamic::kSkip)[0],
        {1, 1, 1}, {35.5f});
    // One group each: 5 * (2 - 0.5), 7 * (3 + 1)
    expect_tensor<float>(run_op("GroupConvolution", 1, kLine,
                                {in<std::uint8_t>({1, 2, 1}, {5, 7}),
                                 constant<std::int8_t>({2, 1, 1, 1}, {2, 3}), absent(), each},
                                Dynamic::kSkip)[0],
                         {1, 2, 1}, {7.5f, 28});
    const auto error = [&](const In& zero_point) {
        return error_of("Convolution", 1, kLine, {src, wei, absent(), zero_point});
    };
    EXPECT_THAT(error(in_f32({3}, {1, 2, 3})),
                HasSubstr("there are 3 zero points, expected 1 or 2"));
    EXPECT_THAT(error(zero), HasSubstr("the zero point is i32, expected f32"));
    EXPECT_THAT(
        error_of("Convolution", 1, kLine,
                 {in_f32({1, 1, 1}, {1}), in_f32({1, 1, 1}, {1}), absent(), in_f32({}, {1})}),
        HasSubstr("a zero point needs an integer src"));
}

TEST(Convolution, InfersOpenShapes) {
    const std::string stride2 = "strides=2,2; dilations=1,1; pads_begin=1,1; pads_end=1,1";
    const In wei = open(ElementType::f32, "[8,3,3,3]");
    EXPECT_EQ(shape_of("Convolution", 1, stride2, {open(ElementType::f32, "[?,3,?,9]"), wei}),
              "[?,8,?,5]");
    EXPECT_EQ(shape_of("Convolution", 1, stride2, {open(ElementType::f32, "[1,3,4..8,9]"), wei}),
              "[1,8,2..4,5]");
    EXPECT_EQ(shape_of("Convolution", 1, stride2, {open(ElementType::f32, "..."), wei}), "[...]");
}

TEST(Convolution, Refuses) {
    const auto error = [](const std::string& attributes, const Shape& src, const Shape& wei) {
        return error_of("Convolution", 1, attributes,
                        {in_f32(src, std::vector<float>(shape_size(src))),
                         in_f32(wei, std::vector<float>(shape_size(wei)))});
    };
    EXPECT_THAT(error(kLine, {1, 4}, {1, 1}), HasSubstr("src has rank 2, expected 3, 4 or 5"));
    EXPECT_THAT(error(kLine, {1, 1, 4}, {1, 1}), HasSubstr("wei has rank 2, expected 3"));
    EXPECT_THAT(error(kLine, {1, 2, 4}, {1, 3, 1}), HasSubstr("3"));
    EXPECT_THAT(error(kPlane, {1, 1, 4}, {1, 1, 1}), HasSubstr("strides has 2 values, expected 1"));
    EXPECT_THAT(error("strides=0; dilations=1", {1, 1, 4}, {1, 1, 1}),
                HasSubstr("strides has the value 0"));
    EXPECT_THAT(error(std::string(kLine) + "pads_begin=-1; pads_end=0", {1, 1, 4}, {1, 1, 1}),
                HasSubstr("pads_begin has the value -1"));
    EXPECT_THAT(error(kLine, {1, 1, 4}, {1, 1, 5}), HasSubstr("5"));
}

// What inference could not see, the kernel refuses.
TEST(Convolution, TheKernelChecksAgain) {
    const In src = in_f32({1, 1, 4}, {1, 2, 3, 4});
    EXPECT_THAT(blind_error_of("Convolution", 1, "strides=0; dilations=1",
                               {src, in_f32({1, 1, 2}, {1, 1})}),
                HasSubstr("strides has the value 0"));
    EXPECT_THAT(blind_error_of("Convolution", 1, kLine, {src, in_f32({1, 2, 1}, {1, 1})}),
                HasSubstr("src has 1 channels"));
    EXPECT_THAT(blind_error_of("Convolution", 1, "strides=1; dilations=4",
                               {src, in_f32({1, 1, 2}, {1, 1})}),
                HasSubstr("does not fit"));
}

TEST(GroupConvolution, GroupsSeeTheirOwnChannels) {
    // Depthwise.
    expect_tensor<float>(
        run_op("GroupConvolution", 1, kLine,
               {in_f32({1, 2, 2}, {1, 2, 3, 4}), in_f32({2, 1, 1, 1}, {10, 100})})[0],
        {1, 2, 2}, {10, 20, 300, 400});
    // Two groups of two channels to one.
    expect_tensor<float>(
        run_op("GroupConvolution", 1, kLine,
               {in_f32({1, 4, 1}, {1, 2, 3, 4}), in_f32({2, 1, 2, 1}, {1, 10, 100, 1000})})[0],
        {1, 2, 1}, {21, 4300});
    // One channel to two in each group.
    expect_tensor<float>(run_op("GroupConvolution", 1, kLine,
                                {in_f32({1, 2, 1}, {1, 2}), in_f32({2, 2, 1, 1}, {1, 2, 3, 4})})[0],
                         {1, 4, 1}, {1, 2, 6, 8});
}

TEST(GroupConvolution, RefusesChannelsThatAreNotThoseOfTheGroups) {
    EXPECT_THAT(error_of("GroupConvolution", 1, kLine,
                         {in_f32({1, 3, 1}, {1, 2, 3}), in_f32({2, 1, 1, 1}, {1, 2})}),
                HasSubstr("3"));
}

}  // namespace
}  // namespace fuseq::test
