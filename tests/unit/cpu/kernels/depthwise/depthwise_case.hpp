// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Random depthwise convolutions and the definition of depthwise_conv.hpp, one element at a time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "cpu/kernels/depthwise/depthwise_conv.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/conv_taps.hpp"
#include "unit/cpu/kernels/common/exact_floor.hpp"

namespace fuseq::kernels::depthwise_case {

struct Case {
    DepthwiseParams params;
    std::vector<std::int8_t> weights;
    std::vector<float> scale, bias, slope, rest, below;
    std::vector<std::uint8_t> src;  // bytes of u8 or i8
    std::vector<std::int32_t> zero_point;
    std::vector<std::int32_t> offset;
};

inline std::size_t stride_of(std::size_t stride, std::size_t channels) {
    return stride == 0 ? channels : stride;
}

inline std::size_t src_elements(const DepthwiseShape& s) {
    return s.batch * s.src_height * s.src_width * stride_of(s.src_pixel_stride, s.src_channels);
}

inline std::size_t dst_bytes(const DepthwiseParams& p) {
    const DepthwiseShape& s = p.shape;
    return s.batch * s.dst_height * s.dst_width * stride_of(s.dst_pixel_stride, s.src_channels) *
           size_of(p.dst_type);
}

inline std::int32_t zero_point_of(const Case& c, std::size_t channel) {
    return c.zero_point.empty() ? 0 : c.zero_point[c.zero_point.size() == 1 ? 0 : channel];
}

// The integer of rule_form.hpp.
inline float integer_of(const DepthwiseParams& p, float sum, float scale, float rest, float bias) {
    const auto zero_point = static_cast<float>(p.zero_point);
    switch (*p.rule) {
        case RuleForm::kReal: return std::nearbyint(sum * scale) + zero_point;
        case RuleForm::kRealZeroFirst: return std::nearbyint(sum * scale + bias);
        case RuleForm::kMirrored:
            return std::copysign(fuseq::test::exact_floor(std::abs(sum), scale, rest, bias), sum) +
                   zero_point;
        default: return fuseq::test::exact_floor(sum, scale, rest, bias);
    }
}

// The definition in the header, one output element at a time.
inline float expected_value(
    const Case& c, std::size_t n, std::size_t y, std::size_t x, std::size_t ch) {
    const DepthwiseShape& s = c.params.shape;
    const std::size_t stride = stride_of(s.src_pixel_stride, s.src_channels);
    const std::size_t taps = s.kernel_height * s.kernel_width;
    std::int64_t acc = c.offset.empty() ? 0 : c.offset[c.offset.size() == 1 ? 0 : ch];
    fuseq::test::for_each_tap(s, {n, y, x}, [&](std::size_t pixel, std::size_t tap) {
        const std::size_t at = pixel * stride + ch;
        const int value = c.params.src_type == ElementType::i8 ? static_cast<std::int8_t>(c.src[at])
                                                               : int{c.src[at]};
        acc += (value - zero_point_of(c, ch)) * c.weights[ch * taps + tap];
    });
    const auto pick = [ch](const std::vector<float>& list) {
        return list[list.size() == 1 ? 0 : ch];
    };
    const bool is_below = acc < 0 && !c.below.empty();
    const float bias = is_below ? pick(c.below) : c.bias.empty() ? 0.0f : pick(c.bias);
    const auto sum = static_cast<float>(acc);
    float v = c.params.rule ? integer_of(c.params, sum, pick(c.scale),
                                         c.rest.empty() ? 0.0f : pick(c.rest), bias)
                            : std::fma(sum, pick(c.scale), bias);
    if (!c.slope.empty() && !(v > 0.0f)) {
        v *= pick(c.slope);
    }
    v += c.params.shift;
    return std::min(std::max(v, c.params.low), c.params.high);
}

inline std::vector<std::uint8_t> expected(const Case& c) {
    const DepthwiseShape& s = c.params.shape;
    const std::size_t stride = stride_of(s.dst_pixel_stride, s.src_channels);
    std::vector<std::uint8_t> dst(dst_bytes(c.params), 0xA5);
    std::size_t pixel = 0;
    for (std::size_t n = 0; n < s.batch; ++n) {
        for (std::size_t y = 0; y < s.dst_height; ++y) {
            for (std::size_t x = 0; x < s.dst_width; ++x, ++pixel) {
                for (std::size_t ch = 0; ch < s.src_channels; ++ch) {
                    const float v = expected_value(c, n, y, x, ch);
                    const std::size_t at = pixel * stride + ch;
                    if (c.params.dst_type == ElementType::f32) {
                        std::memcpy(&dst[at * 4], &v, 4);
                    } else if (c.params.dst_type == ElementType::u8) {
                        dst[at] =
                            static_cast<std::uint8_t>(std::clamp(std::nearbyint(v), 0.f, 255.f));
                    } else {
                        dst[at] = static_cast<std::uint8_t>(
                            static_cast<std::int8_t>(std::clamp(std::nearbyint(v), -128.f, 127.f)));
                    }
                }
            }
        }
    }
    return dst;
}

template <class T>
T pick(std::mt19937& rng, std::initializer_list<T> of) {
    return *(of.begin() + rng() % of.size());
}

inline std::size_t between(std::mt19937& rng, std::size_t low, std::size_t high) {
    return low + rng() % (high - low + 1);
}

inline void fill_values(Case& c, std::mt19937& rng) {
    const DepthwiseShape& s = c.params.shape;
    c.src.resize(src_elements(s));
    for (auto& v : c.src) {
        v = static_cast<std::uint8_t>(rng());
    }
    c.weights.resize(s.src_channels * s.kernel_height * s.kernel_width);
    for (auto& w : c.weights) {
        w = static_cast<std::int8_t>(rng());
    }
    std::uniform_real_distribution<float> real(-1.0f, 1.0f);
    const float taps = std::sqrt(static_cast<float>(s.kernel_height * s.kernel_width));
    c.scale.resize(rng() % 4 == 0 ? 1 : s.src_channels);
    for (float& v : c.scale) {
        // Powers of two make ties, which must go to even.
        v = rng() % 2 == 0 ? 1.0f / 128.0f : real(rng) / (100.0f * taps);
    }
    c.bias.resize(rng() % 3 == 0 ? 0 : s.src_channels);
    for (float& v : c.bias) {
        v = rng() % 2 == 0 ? 32.0f : 50.0f * real(rng);
    }
}

inline Case random_case(std::mt19937& rng) {
    Case c;
    DepthwiseShape& s = c.params.shape;
    s.batch = between(rng, 1, 2);
    s.src_channels = pick<std::size_t>(rng, {1,  3,  7,  8,  9,  15, 16,  17,  24,  31,  32, 33,
                                             48, 63, 64, 65, 80, 96, 100, 127, 128, 144, 200});
    s.dst_channels = s.src_channels;
    const auto size = pick<std::size_t>(rng, {3, 3, 3, 5, 5, 0});
    s.kernel_height = size != 0 ? size : between(rng, 1, 7);
    s.kernel_width = size != 0 ? size : between(rng, 1, 7);
    const std::size_t stride = between(rng, 1, 2);
    s.stride_height = size != 0 ? stride : between(rng, 1, 3);
    s.stride_width = size != 0 ? stride : between(rng, 1, 3);
    s.dilation_height = rng() % 4 == 0 ? between(rng, 1, 5) : 1;
    s.dilation_width = rng() % 8 == 0 ? between(rng, 1, 3) : s.dilation_height;
    s.src_height = between(rng, 1, 12);
    s.src_width = between(rng, 1, 24);
    s.dst_height = between(rng, 1, 12);
    s.dst_width = between(rng, 1, 20);
    s.pad_top = static_cast<std::ptrdiff_t>(between(rng, 0, s.kernel_height + 1)) - 1;
    s.pad_left = static_cast<std::ptrdiff_t>(between(rng, 0, s.kernel_width + 1)) - 1;
    s.src_pixel_stride = rng() % 4 == 0 ? s.src_channels + between(rng, 0, 70) : 0;
    s.dst_pixel_stride = rng() % 4 == 0 ? s.src_channels + between(rng, 0, 70) : 0;
    c.params.src_type = pick(rng, {ElementType::u8, ElementType::i8});
    c.params.dst_type = pick(rng, {ElementType::u8, ElementType::i8, ElementType::f32});
    const int lowest = c.params.src_type == ElementType::u8 ? 0 : -128;
    c.zero_point.assign(rng() % 4 == 0 ? 0 : rng() % 2 == 0 ? 1 : s.src_channels, 0);
    for (std::int32_t& z : c.zero_point) {
        z = static_cast<int>(between(rng, 0, 255)) + lowest;
    }
    fill_values(c, rng);
    if (rng() % 3 == 0) {
        c.slope.assign(rng() % 2 == 0 ? 1 : s.src_channels, 0.0f);
        for (float& v : c.slope) {
            v = static_cast<float>(rng() % 200) / 100.0f - 0.5f;
        }
    }
    c.params.shift = rng() % 3 == 0 ? 7.25f : 0.0f;
    if (rng() % 3 == 0) {
        c.params.low = static_cast<float>(rng() % 20) - 20.0f;
        c.params.high = static_cast<float>(rng() % 100);
    }
    c.offset.assign(rng() % 2 == 0 ? 0 : rng() % 2 == 0 ? 1 : s.src_channels, 0);
    for (std::int32_t& offset : c.offset) {
        offset = static_cast<int>(between(rng, 0, 40000)) - 20000;
    }
    return c;
}

inline void attach(Case& c) {
    c.params.weights = c.weights;
    c.params.scale = c.scale;
    c.params.bias = c.bias;
    c.params.slope = c.slope;
    c.params.rest = c.rest;
    c.params.below = c.below;
    c.params.src_zero_point = c.zero_point;
    c.params.offset = c.offset;
}

inline std::string describe(const Case& c) {
    const DepthwiseShape& s = c.params.shape;
    return detail::cat("n", s.batch, " c", s.src_channels, " src ", s.src_height, "x", s.src_width,
                       " dst ", s.dst_height, "x", s.dst_width, " k ", s.kernel_height, "x",
                       s.kernel_width, " s ", s.stride_height, "x", s.stride_width, " d ",
                       s.dilation_height, "x", s.dilation_width, " p ", s.pad_top, ",", s.pad_left,
                       " ", to_string(c.params.src_type), "->", to_string(c.params.dst_type),
                       " zps ", c.zero_point.size(), " offsets ", c.offset.size(), " slope ",
                       c.slope.size(), " shift ", c.params.shift, " rule ",
                       c.params.rule ? static_cast<int>(*c.params.rule) : -1, " strides ",
                       s.src_pixel_stride, ",", s.dst_pixel_stride);
}

// Runs a split of the rows and blocks.
inline std::vector<std::uint8_t> run_split(const DepthwiseConv& conv,
                                           const Case& c,
                                           std::mt19937& rng) {
    std::vector<std::uint8_t> dst(dst_bytes(c.params), 0xA5);
    const std::size_t rows = conv.rows();
    const std::size_t row = between(rng, 0, rows);
    const std::size_t block = between(rng, 0, conv.blocks());
    for (const Range r : {Range{0, row}, Range{row, rows}}) {
        conv.run(c.src.data(), dst.data(), r, {0, block});
        conv.run(c.src.data(), dst.data(), r, {block, conv.blocks()});
    }
    return dst;
}

// -0 and 0 are the same result.
inline std::vector<std::uint8_t> without_negative_zero(std::vector<std::uint8_t> bytes,
                                                       ElementType type) {
    for (std::size_t i = 0; type == ElementType::f32 && i < bytes.size(); i += 4) {
        float v = 0.0f;
        std::memcpy(&v, &bytes[i], 4);
        v += 0.0f;
        std::memcpy(&bytes[i], &v, 4);
    }
    return bytes;
}

inline void expect_exact(Case& c, DepthwisePath path, std::mt19937& rng) {
    attach(c);
    c.params.path = path;
    const std::vector<std::uint8_t> want = without_negative_zero(expected(c), c.params.dst_type);
    const DepthwiseConv conv(c.params);
    SCOPED_TRACE(conv.implementation());
    std::vector<std::uint8_t> dst(want.size(), 0xA5);
    conv.run(c.src.data(), dst.data());
    ASSERT_EQ(without_negative_zero(dst, c.params.dst_type), want) << describe(c);
    ASSERT_EQ(run_split(conv, c, rng), dst) << describe(c);
}

// Rows of one to many vectors, with and without columns outside of src.
inline Case random_flat_case(std::mt19937& rng) {
    Case c = random_case(rng);
    DepthwiseShape& s = c.params.shape;
    s.src_channels = s.dst_channels = pick<std::size_t>(rng, {1, 2, 4, 8, 16, 32, 64});
    s.kernel_height = s.kernel_width = 3;
    s.stride_height = s.stride_width = s.dilation_height = s.dilation_width = 1;
    s.src_pixel_stride = s.dst_pixel_stride = 0;
    c.zero_point.resize(c.zero_point.size() < 2 ? c.zero_point.size() : s.src_channels);
    c.slope.resize(c.slope.size() < 2 ? c.slope.size() : s.src_channels);
    c.offset.resize(c.offset.size() < 2 ? c.offset.size() : s.src_channels);
    fill_values(c, rng);
    return c;
}

inline std::string refusal(const DepthwiseParams& params) {
    try {
        DepthwiseConv conv(params);
        return "accepted";
    } catch (const Error& e) {
        return e.what();
    }
}

}  // namespace fuseq::kernels::depthwise_case
