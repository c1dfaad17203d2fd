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
