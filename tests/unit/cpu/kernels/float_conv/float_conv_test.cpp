// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/float_conv/float_conv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "cpu/machine/traits.hpp"
#include "fuseq/error.hpp"

namespace fuseq::kernels {
namespace {

struct Case {
    FloatConvParams params;
    std::vector<float> src;
    std::vector<float> weights;
    std::vector<float> bias;
    std::vector<float> shift;
};

std::vector<float> random_floats(std::mt19937& rng, std::size_t count) {
    std::vector<float> values(count);
    for (float& v : values) {
        v = (static_cast<float>(rng() % 2001) - 1000.0f) * 0.01f;
    }
    return values;
}

std::size_t one_of(std::mt19937& rng, std::size_t from, std::size_t to) {
    return from + rng() % (to - from + 1);
}

Case random_case(std::mt19937& rng) {
    Case c;
    ConvGeometry& s = c.params.shape;
    s.batch = one_of(rng, 1, 2);
    s.src_channels = one_of(rng, 1, 4);
    s.dst_channels = one_of(rng, 1, 4) * 16;
    s.kernel_height = one_of(rng, 1, 5);
    s.kernel_width = one_of(rng, 1, 5);
    s.stride_height = one_of(rng, 1, 3);
    s.stride_width = one_of(rng, 1, 2);
    s.pad_top = static_cast<std::ptrdiff_t>(rng() % s.kernel_height);
    s.pad_left = static_cast<std::ptrdiff_t>(rng() % 3);
    s.dst_height = one_of(rng, 1, 9);
    s.dst_width = one_of(rng, 24, 70);
    // The bottom and the right may be padded too, or pixels be left over.
    const auto size = [&](std::size_t dst, std::size_t stride, std::size_t kernel,
                          std::ptrdiff_t pad) {
        const auto reach = static_cast<std::ptrdiff_t>((dst - 1) * stride + kernel) - pad;
        const auto rest = static_cast<std::ptrdiff_t>(rng() % 4) - 2;
        return static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, reach + rest));
    };
    s.src_height = size(s.dst_height, s.stride_height, s.kernel_height, s.pad_top);
    s.src_width = size(s.dst_width, s.stride_width, s.kernel_width, s.pad_left);
    c.params.planes = rng() % 2 == 0;
    c.params.relu = rng() % 2 == 0;
    c.params.slope = rng() % 2 == 0 ? 0.0f : -0.25f;
    c.src = random_floats(rng, s.batch * s.src_channels * s.src_height * s.src_width);
    c.weights =
        random_floats(rng, s.dst_channels * s.src_channels * s.kernel_height * s.kernel_width);
    c.bias = random_floats(rng, rng() % 2 == 0 ? 0 : s.dst_channels);
    c.shift = random_floats(rng, rng() % 2 == 0 ? 0 : s.dst_channels);
    const ElementType types[] = {ElementType::f32, ElementType::u8, ElementType::i8};
    c.params.dst_type = types[rng() % 3];
    c.params.weights = c.weights;
    c.params.bias = c.bias;
    c.params.shift = c.shift;
    return c;
}

float source_at(
    const Case& c, std::size_t image, std::size_t channel, std::ptrdiff_t y, std::ptrdiff_t x) {
    const ConvGeometry& s = c.params.shape;
    if (y < 0 || x < 0 || y >= static_cast<std::ptrdiff_t>(s.src_height) ||
        x >= static_cast<std::ptrdiff_t>(s.src_width)) {
        return 0.0f;
    }
    const auto row = static_cast<std::size_t>(y);
    const auto column = static_cast<std::size_t>(x);
    return c.params.planes
               ? c.src[((image * s.src_channels + channel) * s.src_height + row) * s.src_width +
                       column]
               : c.src[((image * s.src_height + row) * s.src_width + column) * s.src_channels +
                       channel];
}

// In the order that the header promises.
float value_at(const Case& c, std::size_t row, std::size_t x, std::size_t channel) {
    const ConvGeometry& s = c.params.shape;
    const std::size_t y = row % s.dst_height;
    static const bool has_fma = cpu::machine_traits().isa != cpu::IsaLevel::kSse41;
    float acc = 0.0f;
    for (std::size_t ky = 0; ky < s.kernel_height; ++ky) {
        for (std::size_t kx = 0; kx < s.kernel_width; ++kx) {
            for (std::size_t from = 0; from < s.src_channels; ++from) {
                const float src =
                    source_at(c, row / s.dst_height, from,
                              static_cast<std::ptrdiff_t>(y * s.stride_height + ky) - s.pad_top,
                              static_cast<std::ptrdiff_t>(x * s.stride_width + kx) - s.pad_left);
                const std::size_t at =
                    ((channel * s.src_channels + from) * s.kernel_height + ky) * s.kernel_width +
                    kx;
                acc = has_fma ? std::fma(src, c.weights[at], acc) : acc + src * c.weights[at];
            }
        }
    }
    acc += c.bias.empty() ? 0.0f : c.bias[channel];
    if (c.params.relu) {
        acc = acc > 0.0f ? acc : c.params.slope == 0.0f ? 0.0f : acc * c.params.slope;
    }
    return c.shift.empty() ? acc : acc + c.shift[channel];
}

float element(const std::vector<std::byte>& bytes, ElementType type, std::size_t i) {
    if (type == ElementType::f32) {
        return reinterpret_cast<const float*>(bytes.data())[i];
    }
    return type == ElementType::u8 ? static_cast<float>(std::to_integer<std::uint8_t>(bytes[i]))
                                   : static_cast<float>(std::to_integer<std::int8_t>(bytes[i]));
}

float stored(float v, ElementType type) {
    if (type == ElementType::f32) {
        return v;
    }
    return type == ElementType::u8 ? std::clamp(std::nearbyint(v), 0.0f, 255.0f)
                                   : std::clamp(std::nearbyint(v), -128.0f, 127.0f);
}

TEST(FloatConv, IsTheSumInItsOrder) {
    std::mt19937 rng(5);
    std::size_t taken = 0;
    for (int i = 0; i < 200; ++i) {
        const Case c = random_case(rng);
        const ConvGeometry& s = c.params.shape;
        if (!FloatConv::takes(s)) {
            continue;
        }
        ++taken;
        const FloatConv conv(c.params);
        const std::size_t row_size = s.dst_width * s.dst_channels;
        const std::size_t size = size_of(c.params.dst_type);
        std::vector<std::byte> dst(conv.rows() * row_size * size + 1, std::byte{77});
        std::vector<float> scratch(conv.scratch());
        // In two parts, the second one first.
        const std::size_t cut = rng() % (conv.rows() + 1);
        conv.run(c.src.data(), {cut, conv.rows()}, scratch.data(),
                 dst.data() + cut * row_size * size);
        conv.run(c.src.data(), {0, cut}, scratch.data(), dst.data());
        ASSERT_EQ(dst.back(), std::byte{77}) << "written after the end";
        for (std::size_t k = 0; k < conv.rows() * row_size; ++k) {
            const float expected =
                value_at(c, k / row_size, k % row_size / s.dst_channels, k % s.dst_channels);
            ASSERT_EQ(element(dst, c.params.dst_type, k), stored(expected, c.params.dst_type))
                << "case " << i << ", element " << k;
        }
    }
    EXPECT_GT(taken, 100u);
}

TEST(FloatConv, RefusesWhatItHasNoCodeFor) {
    const ConvGeometry good{.src_channels = 3,
                            .dst_channels = 48,
                            .src_height = 62,
                            .src_width = 62,
                            .dst_height = 60,
                            .dst_width = 60,
                            .kernel_height = 3,
                            .kernel_width = 3};
    EXPECT_TRUE(FloatConv::takes(good));
    const auto takes = [&](auto change) {
        ConvGeometry shape = good;
        change(shape);
        return FloatConv::takes(shape);
    };
    EXPECT_FALSE(takes([](ConvGeometry& s) { s.src_channels = 5; }));
    EXPECT_FALSE(takes([](ConvGeometry& s) { s.dst_channels = 24; }));
    EXPECT_FALSE(takes([](ConvGeometry& s) { s.dst_channels = 80; }));
    EXPECT_FALSE(takes([](ConvGeometry& s) { s.stride_width = 3; }));
    EXPECT_FALSE(takes([](ConvGeometry& s) { s.dilation_width = 2; }));
    EXPECT_FALSE(takes([](ConvGeometry& s) { s.dst_width = 20; }));
    EXPECT_FALSE(takes([](ConvGeometry& s) { s.pad_top = 3; }));
    EXPECT_FALSE(takes([](ConvGeometry& s) { s.pad_left = -1; }));
}

TEST(FloatConv, RefusesOtherNumbersOfWeights) {
    FloatConvParams params;
    params.shape = {.src_channels = 3,
                    .dst_channels = 16,
                    .src_height = 1,
                    .src_width = 32,
                    .dst_height = 1,
                    .dst_width = 32};
    const std::vector<float> weights(47);
    params.weights = weights;
    EXPECT_THROW(FloatConv{params}, Error);
}

}  // namespace
}  // namespace fuseq::kernels
