// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise kernels that only move their source, which shows every tap and channel by itself.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "cpu/kernels/depthwise/depthwise_conv.hpp"

namespace fuseq::kernels::test {

inline DepthwiseShape square(std::size_t channels, std::size_t kernel, std::size_t stride) {
    constexpr std::size_t kSize = 7;
    DepthwiseShape s;
    s.src_channels = channels;
    s.dst_channels = channels;
    s.src_height = kSize;
    s.src_width = kSize;
    s.dst_height = (kSize - 1) / stride + 1;
    s.dst_width = s.dst_height;
    s.kernel_height = kernel;
    s.kernel_width = kernel;
    s.stride_height = stride;
    s.stride_width = stride;
    s.pad_top = static_cast<std::ptrdiff_t>(kernel / 2);
    s.pad_left = s.pad_top;
    return s;
}

// The source pixel that a tap of an output position reads along one axis, -1 for none.
inline std::ptrdiff_t source_of(const DepthwiseShape& s, std::size_t at, std::size_t tap) {
    const auto from =
        static_cast<std::ptrdiff_t>(at * s.stride_width + tap * s.dilation_width) - s.pad_left;
    return from < static_cast<std::ptrdiff_t>(s.src_width) ? from : -1;
}

// Weights that are 1 at one tap and 0 elsewhere move the source: pixel number + channel number.
inline void expect_moves(DepthwisePath path,
                         const DepthwiseShape& s,
                         std::size_t ky,
                         std::size_t kx) {
    const std::size_t channels = s.src_channels;
    std::vector<std::uint8_t> src;
    for (std::size_t pixel = 0; pixel < s.src_height * s.src_width; ++pixel) {
        for (std::size_t c = 0; c < channels; ++c) {
            src.push_back(static_cast<std::uint8_t>(1 + pixel + c));
        }
    }
    std::vector<std::int8_t> weights(channels * s.kernel_height * s.kernel_width);
    for (std::size_t c = 0; c < channels; ++c) {
        weights[(c * s.kernel_height + ky) * s.kernel_width + kx] = 1;
    }
    const std::vector<float> one{1.0f};
    DepthwiseParams params{.shape = s, .weights = weights, .scale = one};
    params.path = path;
    const DepthwiseConv conv(params);
    std::vector<std::uint8_t> dst(s.dst_height * s.dst_width * channels, 0xEE);
    conv.run(src.data(), dst.data());
    for (std::size_t i = 0; i < dst.size(); ++i) {
        const std::size_t pixel = i / channels;
        const std::ptrdiff_t y = source_of(s, pixel / s.dst_width, ky);
        const std::ptrdiff_t x = source_of(s, pixel % s.dst_width, kx);
        const std::ptrdiff_t want = y < 0 || x < 0
                                        ? 0
                                        : 1 + y * static_cast<std::ptrdiff_t>(s.src_width) + x +
                                              static_cast<std::ptrdiff_t>(i % channels);
        ASSERT_EQ(dst[i], want) << conv.implementation() << ", tap " << ky << "," << kx
                                << ", pixel " << pixel << ", channel " << i % channels;
    }
}

// 256 taps, the most there are, of the largest values: sums of 24 bits, exact.
inline void expect_exact_sums(DepthwisePath path, std::size_t channels) {
    DepthwiseShape s;
    s.src_channels = channels;
    s.dst_channels = channels;
    s.src_height = 16;
    s.src_width = 16;
    s.kernel_height = 16;
    s.kernel_width = 16;
    const std::vector<std::int8_t> weights(256 * channels, -128);
    const std::vector<float> one{1.0f};
    DepthwiseParams params{.shape = s, .weights = weights, .scale = one};
    params.dst_type = ElementType::f32;
    params.path = path;
    std::vector<float> dst(channels);
    const std::vector<std::uint8_t> bytes(256 * channels, 255);
    DepthwiseConv(params).run(bytes.data(), dst.data());
    EXPECT_EQ(dst, std::vector<float>(channels, 256 * 255 * -128.0f));
    params.src_type = ElementType::i8;
    const std::vector<std::int8_t> low(256 * channels, -128);
    DepthwiseConv(params).run(low.data(), dst.data());
    EXPECT_EQ(dst, std::vector<float>(channels, 256 * 128 * 128.0f));
    const std::vector<std::int32_t> zero_point{127};
    params.src_zero_point = zero_point;
    DepthwiseConv(params).run(low.data(), dst.data());
    EXPECT_EQ(dst, std::vector<float>(channels, 256 * 255 * 128.0f));
}

}  // namespace fuseq::kernels::test
