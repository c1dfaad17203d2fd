// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A convolution of few channels with random contents, and its values by plain loops.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "cpu/kernels/small_conv/small_conv.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/conv_taps.hpp"
#include "unit/cpu/kernels/common/elements.hpp"
#include "unit/cpu/kernels/common/exact_floor.hpp"

namespace fuseq::test {

struct SmallConvCase {
    kernels::SmallConvParams params;
    std::vector<std::int8_t> weights;
    std::vector<float> scale, bias, wei_zero_point;
    std::vector<float> rest, below;  // of floors
    std::vector<std::int32_t> offset;
    Bytes src;
};

inline std::size_t positions(std::size_t src,
                             std::size_t kernel,
                             std::size_t stride,
                             std::size_t dilation,
                             std::size_t pads) {
    const std::size_t extent = (kernel - 1) * dilation + 1;
    return src + pads < extent ? 0 : (src + pads - extent) / stride + 1;
}

inline SmallConvCase random_small_conv_case(std::mt19937& rng, bool lanes) {
    SmallConvCase c;
    kernels::SmallConvShape& s = c.params.shape;
    s.batch = 1 + rng() % 2;
    s.src_channels = rng() % 4 == 0 ? 16 * (1 + rng() % 4) : 1 + rng() % 8;
    s.dst_channels = 1 + rng() % kernels::kSmallConvChannels;
    if (lanes) {
        constexpr std::size_t kChannels[] = {1, 2, 3, 4, 6, 8, 16};
        s.src_channels = kChannels[rng() % 7];
        s.dst_channels = rng() % 3 == 0 ? 16 + rng() % 7 * 8 : std::size_t{16} << rng() % 3;
    }
    s.stride_width = s.src_channels <= 4 ? 1 + rng() % (lanes ? 4 : 2) : 1;
    s.stride_height = 1 + rng() % 3;
    s.kernel_height = 1 + rng() % 5;
    s.kernel_width = 1 + rng() % 5;
    s.dilation_height = 1 + rng() % 2;
    s.dilation_width = 1 + rng() % 2;
    s.src_height = 9 + rng() % (lanes ? 3 : 20);
    s.src_width = rng() % 4 == 0 ? 500 + rng() % 400 : 9 + rng() % 90;
    s.pad_top = static_cast<std::ptrdiff_t>(rng() % 3);
    s.pad_left = static_cast<std::ptrdiff_t>(rng() % 3);
    s.dst_height = positions(s.src_height, s.kernel_height, s.stride_height, s.dilation_height,
                             static_cast<std::size_t>(s.pad_top) + rng() % 3);
    s.dst_width = positions(s.src_width, s.kernel_width, s.stride_width, s.dilation_width,
                            static_cast<std::size_t>(s.pad_left) + rng() % 3);
    c.params.src_type = rng() % 2 == 0 ? ElementType::u8 : ElementType::i8;
    c.params.src_zero_point =
        static_cast<std::int32_t>(rng() % 256) - (c.params.src_type == ElementType::i8 ? 128 : 0);
    for (std::size_t i = 0; i < s.dst_channels * s.src_channels * s.kernel_height * s.kernel_width;
         ++i) {
        c.weights.push_back(static_cast<std::int8_t>(rng() & 0xff));
    }
    for (std::size_t i = 0; i < s.dst_channels; ++i) {
        c.scale.push_back(static_cast<float>(rng() % 1000) / 512.0f);
        c.bias.push_back(static_cast<float>(rng() % 1000) / 8.0f - 60.0f);
    }
    // None, one, or one a channel.
    const std::size_t zero_points = rng() % 3;
    for (std::size_t i = 0; i < (zero_points == 2 ? s.dst_channels : zero_points); ++i) {
        c.wei_zero_point.push_back(static_cast<float>(rng() % 1000) / 64.0f - 7.0f);
    }
    // Bytes of dst that are not all the largest or the least.
    const double reach = static_cast<double>(s.src_channels * s.kernel_height * s.kernel_width);
    for (float& scale : c.scale) {
        scale *= rng() % 2 == 0 ? 1.0f : static_cast<float>(0.02 / std::sqrt(reach));
    }
    c.src = random_elements(rng, c.params.src_type,
                            s.batch * s.src_height * s.src_width * s.src_channels);
    return c;
}

// Of the products; `ones`: with weights of 1.
inline std::int32_t sum_at(const SmallConvCase& c,
                           std::size_t n,
                           std::size_t oc,
                           std::size_t y,
                           std::size_t x,
                           bool ones = false) {
    const kernels::SmallConvShape& s = c.params.shape;
    const std::size_t taps = s.kernel_height * s.kernel_width;
    std::int32_t sum = 0;
    for_each_tap(s, {n, y, x}, [&](std::size_t pixel, std::size_t tap) {
        for (std::size_t ic = 0; ic < s.src_channels; ++ic) {
            const auto v = static_cast<std::int32_t>(
                element(c.src, c.params.src_type, pixel * s.src_channels + ic));
            const std::int8_t w = c.weights[(oc * s.src_channels + ic) * taps + tap];
            sum += (v - c.params.src_zero_point) * (ones ? 1 : w);
        }
    });
    return sum;
}

inline float value_at(
    const SmallConvCase& c, std::size_t n, std::size_t oc, std::size_t y, std::size_t x) {
    auto sum = static_cast<float>(sum_at(c, n, oc, y, x));
    if (!c.wei_zero_point.empty()) {
        const float zero = c.wei_zero_point[c.wei_zero_point.size() == 1 ? 0 : oc];
        sum = std::fma(static_cast<float>(sum_at(c, n, oc, y, x, true)), -zero, sum);
    }
    if (!c.rest.empty()) {
        sum += static_cast<float>(c.offset[oc]);
        return exact_floor(sum, c.scale[oc], c.rest[oc], sum < 0.0f ? c.below[oc] : c.bias[oc]);
    }
    return std::fma(sum, c.scale[oc], c.bias[oc]);
}

// Whether this machine has such a kernel: if not, it takes not even the smallest shape.
inline bool has_small_conv(bool lanes) {
    kernels::SmallConvShape small;
    small.src_channels = lanes ? 3 : 1;
    small.dst_channels = lanes ? 16 : 1;
    small.src_height = small.src_width = small.dst_height = small.dst_width = 8;
    return kernels::SmallConv::takes(small);
}

// Calls body(case, rng) with those of `count` random cases that the kernel takes and `wanted(case)`
// keeps; if none fits, with the first that does among 50 times as many. Fails when there is none;
// skips the test on machines that have no such kernel. `lanes`: channel-vectorized.
template <class Wanted, class Body>
void for_small_conv_cases(std::size_t count, bool lanes, const Wanted& wanted, const Body& body) {
    const unsigned first = std::random_device()();
    const std::size_t limit = has_small_conv(lanes) ? 50 * count : count;
    std::size_t tried = 0;
    std::size_t drawn = 0;
    for (; drawn < count || (tried == 0 && drawn < limit); ++drawn) {
        const unsigned seed = first + static_cast<unsigned>(drawn);
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        SmallConvCase c = random_small_conv_case(rng, lanes);
        if (!kernels::SmallConv::takes_zero_points(c.params.shape)) {
            c.wei_zero_point.clear();
        }
        c.params.weights = c.weights;
        c.params.scale = c.scale;
        c.params.bias = c.bias;
        c.params.wei_zero_point = c.wei_zero_point;
        if (kernels::SmallConv::takes(c.params.shape) && wanted(c)) {
            ++tried;
            body(c, rng);
        }
    }
    if (!has_small_conv(lanes)) {
        EXPECT_EQ(tried, 0u) << "other shapes than the smallest one are taken";
        GTEST_SKIP() << "this machine has no AVX-512 VBMI";
    }
    EXPECT_NE(tried, 0u) << "none of " << drawn << " random cases from seed " << first
                         << " on was tried";
}

// Of all cases that the kernel takes.
template <class Body>
void for_small_conv_cases(std::size_t count, bool lanes, const Body& body) {
    for_small_conv_cases(
        count, lanes, [](const SmallConvCase&) { return true; }, body);
}

}  // namespace fuseq::test
