// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(AvgPool, ExcludesOrCountsPadding) {
    const In x = in_f32({1, 1, 2}, {2, 4});
    expect_tensor<float>(
        run_op("AvgPool", 1, "kernel=2; strides=1; pads_begin=1; pads_end=1; exclude-pad=true",
               {x})[0],
        {1, 1, 3}, {2, 3, 4});
    expect_tensor<float>(
        run_op("AvgPool", 1, "kernel=2; strides=1; pads_begin=1; pads_end=1; exclude-pad=false",
               {x})[0],
        {1, 1, 3}, {1, 3, 2});
}

TEST(AvgPool, WhatCeilRoundingAddsIsNoPadding) {
    const In x = in_f32({1, 1, 3}, {2, 4, 6});
    expect_tensor<float>(
        run_op("AvgPool", 1, "kernel=2; strides=2; rounding_type=ceil; exclude-pad=false", {x})[0],
        {1, 1, 2}, {3, 6});
}

TEST(AvgPool, IntegersAreRoundedHalfToEvenOrGiveReals) {
    const In x = in<std::uint8_t>({1, 1, 4}, {1, 2, 2, 3});
    expect_tensor<std::uint8_t>(
        run_op("AvgPool", 1, "kernel=2; strides=2; exclude-pad=true", {x})[0], {1, 1, 2}, {2, 2});
    expect_tensor<float>(
        run_op("AvgPool", 1, "kernel=2; strides=2; exclude-pad=true; output_type=f32", {x})[0],
        {1, 1, 2}, {1.5F, 2.5F});
}

// Windows of {pad, 2}, {4, 6} and, after the last element, {pad}: ceil counts it, torch does not.
TEST(AvgPool14, CeilTorchDropsTheWindowThatBeginsInTheEndPadding) {
    const In x = in_f32({1, 1, 3}, {2, 4, 6});
    const std::string window =
        "kernel=2; strides=2; pads_begin=1; pads_end=1; exclude-pad=false; rounding_type=";
    expect_tensor<float>(run_op("AvgPool", 14, window + "ceil", {x})[0], {1, 1, 3}, {1, 5, 0});
    expect_tensor<float>(run_op("AvgPool", 14, window + "ceil_torch", {x})[0], {1, 1, 2}, {1, 5});
}

// Of the last window {6, beyond}, what rounding up adds is no padding.
TEST(AvgPool14, CeilTorchKeepsTheWindowThatBeginsInSrc) {
    const In x = in_f32({1, 1, 3}, {2, 4, 6});
    for (const char* exclude : {"true", "false"}) {
        expect_tensor<float>(run_op("AvgPool", 14,
                                    std::string("kernel=2; strides=2; rounding_type=ceil_torch; "
                                                "exclude-pad=") +
                                        exclude,
                                    {x})[0],
                             {1, 1, 2}, {3, 6});
    }
}

TEST(AvgPool16, Dilates) {
    const In x = in_f32({1, 1, 5}, {1, 2, 4, 8, 16});
    expect_tensor<float>(
        run_op("AvgPool", 16, "kernel=2; strides=1; dilations=2; exclude-pad=true", {x})[0],
        {1, 1, 3}, {2.5F, 5, 10});
    // Taps at -1 and 1, 1 and 3, 3 and 5: the outer ones are padding.
    const std::string padded =
        "kernel=2; strides=2; dilations=2; pads_begin=1; pads_end=1; exclude-pad=";
    expect_tensor<float>(run_op("AvgPool", 16, padded + "true", {x})[0], {1, 1, 3}, {2, 5, 8});
    expect_tensor<float>(run_op("AvgPool", 16, padded + "false", {x})[0], {1, 1, 3}, {1, 5, 4});
}

// Taps at -1, 1 and 3 of four elements, then 2, 4 and 6: 4 is padding, 6 is beyond it.
TEST(AvgPool16, CountsTapsInThePaddingButNotBeyondIt) {
    const In x = in_f32({1, 1, 4}, {3, 6, 9, 12});
    const std::string window =
        "kernel=3; strides=3; dilations=2; pads_begin=1; pads_end=1; rounding_type=ceil; "
        "exclude-pad=";
    expect_tensor<float>(run_op("AvgPool", 16, window + "false", {x})[0], {1, 1, 2}, {6, 4.5F});
    expect_tensor<float>(run_op("AvgPool", 16, window + "true", {x})[0], {1, 1, 2}, {9, 9});
}

// Taps at -1 and 2 of two elements.
TEST(AvgPool16, AWindowThatStepsOverSrcIsZero) {
    const In x = in_f32({1, 1, 2}, {3, 6});
    expect_tensor<float>(
        run_op("AvgPool", 16,
               "kernel=2; strides=1; dilations=3; pads_begin=1; pads_end=1; exclude-pad=true",
               {x})[0],
        {1, 1, 1}, {0});
}

TEST(AvgPool16, AveragesIntegersAndInfersOpenShapes) {
    const In x = in<std::uint8_t>({1, 1, 4}, {1, 2, 2, 5});
    expect_tensor<std::uint8_t>(
        run_op("AvgPool", 16, "kernel=2; strides=1; dilations=2; exclude-pad=true", {x})[0],
        {1, 1, 2}, {2, 4});
    EXPECT_EQ(shape_of("AvgPool", 16, "kernel=3,3; strides=2,2; dilations=2,1; exclude-pad=true",
                       {open(ElementType::f32, "[?,3,9,4..9]")}),
              "[?,3,3,1..4]");
}

TEST(AvgPool, RefusesWhatItsVersionDoesNotKnow) {
    const In x = in_f32({1, 1, 4}, {1, 2, 3, 4});
    EXPECT_THAT(error_of("AvgPool", 1,
                         "kernel=2; strides=1; exclude-pad=true; rounding_type=ceil_torch", {x}),
                HasSubstr("rounding_type is ceil_torch, expected floor or ceil before opset14"));
    EXPECT_THAT(error_of("AvgPool", 16, "kernel=2; strides=1; dilations=0; exclude-pad=true", {x}),
                HasSubstr("dilations has the value 0"));
    EXPECT_THAT(error_of("AvgPool", 16, "kernel=3; strides=1; dilations=2; exclude-pad=true", {x}),
                HasSubstr("the kernel of extent 5 does not fit"));
}

TEST(AvgPool, RefusesBadAttributes) {
    const In x = in_f32({1, 1, 4}, {1, 2, 3, 4});
    EXPECT_THAT(error_of("AvgPool", 1, "kernel=2; strides=0; exclude-pad=true", {x}),
                HasSubstr("strides has the value 0"));
    EXPECT_THAT(
        error_of("AvgPool", 1, "kernel=2; strides=1; exclude-pad=true; output_type=u8", {x}),
        HasSubstr("output_type is u8"));
}

}  // namespace
}  // namespace fuseq::test
