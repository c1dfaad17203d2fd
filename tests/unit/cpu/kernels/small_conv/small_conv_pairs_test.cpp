// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cpu/kernels/small_conv/small_conv.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"
#include "unit/cpu/kernels/small_conv/small_conv_case.hpp"

namespace fuseq::kernels {
namespace {

using test::on_every_target;
using test::value_at;
using Case = test::SmallConvCase;

Case pairs_case(unsigned seed) {
    std::mt19937 rng(seed);
    Case c = test::random_small_conv_case(rng, false);
    SmallConvShape& s = c.params.shape;
    if (rng() % 2 == 0) {
        // Other numbers of channels and strides than those that suit VNNI.
        s.src_channels = 1 + rng() % 40;
        s.stride_width = 1 + rng() % 3;
        s.dst_width = test::positions(s.src_width, s.kernel_width, s.stride_width, s.dilation_width,
                                      static_cast<std::size_t>(s.pad_left));
        c.weights.resize(s.dst_channels * s.src_channels * s.kernel_height * s.kernel_width);
        std::generate(c.weights.begin(), c.weights.end(),
                      [&] { return static_cast<std::int8_t>(rng() & 0xff); });
        c.src = test::random_elements(rng, c.params.src_type,
                                      s.batch * s.src_height * s.src_width * s.src_channels);
    }
    c.params.pairs = true;
    return c;
}

void attach(Case& c) {
    c.params.weights = c.weights;
    c.params.scale = c.scale;
    c.params.bias = c.bias;
    c.params.wei_zero_point = c.wei_zero_point;
}

std::string text_of(const SmallConvShape& s) {
    return detail::cat(s.src_channels, " to ", s.dst_channels, " channels, ", s.src_height, "x",
                       s.src_width, ", kernel ", s.kernel_height, "x", s.kernel_width, ", stride ",
                       s.stride_height, "x", s.stride_width, ", dilation ", s.dilation_height, "x",
                       s.dilation_width);
}

void expect_planes(const Case& c, std::size_t cut) {
    const SmallConv kernel(c.params);
    const SmallConvShape& s = c.params.shape;
    const std::size_t plane = s.dst_height * s.dst_width;
    const std::size_t size = s.batch * s.dst_channels * plane;
    constexpr float kMark = -1234.5f;
    std::vector<float> planes(size + 64, kMark);
    kernel.run_to_planes(c.src.data(), {cut, kernel.rows()}, planes.data());
    kernel.run_to_planes(c.src.data(), {0, cut}, planes.data());
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t pixel = i % plane;
        ASSERT_EQ(planes[i], value_at(c, i / plane / s.dst_channels, i / plane % s.dst_channels,
                                      pixel / s.dst_width, pixel % s.dst_width))
            << "element " << i << " of " << text_of(s);
    }
    EXPECT_EQ(std::count(planes.begin() + static_cast<std::ptrdiff_t>(size), planes.end(), kMark),
              64);
}

TEST(SmallConvPairs, MatchPlainLoopsOnEveryTarget) {
    const unsigned first = std::random_device()();
    on_every_target([&](const std::string&) {
        for (unsigned seed = first; seed != first + 60; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            Case c = pairs_case(seed);
            attach(c);
            ASSERT_TRUE(SmallConv::takes_pairs(c.params.shape)) << text_of(c.params.shape);
            const std::size_t rows = c.params.shape.batch * c.params.shape.dst_height;
            ASSERT_NO_FATAL_FAILURE(expect_planes(c, seed % (rows + 1)));
        }
    });
}

TEST(SmallConvPairs, GiveTilesToAReceiver) {
    const unsigned first = std::random_device()();
    for (unsigned seed = first; seed != first + 20; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        Case c = pairs_case(seed);
        attach(c);
        const SmallConvShape& s = c.params.shape;
        const SmallConv kernel(c.params);
        std::size_t seen = 0;
        kernel.run(c.src.data(), {0, kernel.rows()}, [&](const SmallConvTile& tile) {
            ASSERT_LE(tile.count, kSmallConvTile);
            for (std::size_t i = 0; i < tile.count * s.dst_channels; ++i) {
                const std::size_t oc = i / tile.count;
                const std::size_t x = i % tile.count;
                ASSERT_EQ(tile.planes[oc * kSmallConvTile + x],
                          value_at(c, tile.image, oc, tile.y, tile.x + x));
            }
            seen += tile.count;
        });
        EXPECT_EQ(seen, s.batch * s.dst_height * s.dst_width);
    }
}

// The largest sums that there are: bytes and zero points at the ends of their ranges.
TEST(SmallConvPairs, LargestProductsDoNotSaturate) {
    on_every_target([](const std::string&) {
        for (const std::size_t channels : {1, 2, 3, 4, 8, 16, 64}) {
            for (const bool is_signed : {false, true}) {
                Case c;
                SmallConvShape& s = c.params.shape;
                s.src_channels = channels;
                s.dst_channels = 5;
                s.src_height = s.src_width = 12;
                s.kernel_height = s.kernel_width = 5;
                s.dst_height = s.dst_width = 8;
                c.params.src_type = is_signed ? ElementType::i8 : ElementType::u8;
                c.params.src_zero_point = is_signed ? 127 : 0;
                c.params.pairs = true;
                c.src.assign(12 * 12 * channels,
                             is_signed ? std::uint8_t{0x80} : std::uint8_t{255});
                c.weights.assign(5 * 25 * channels, -128);
                c.scale = {1.0f};
                attach(c);
                std::vector<float> planes(5 * 64);
                SmallConv(c.params).run_to_planes(c.src.data(), {0, 8}, planes.data());
                const float sum = static_cast<float>(25 * channels) * 255.0f * -128.0f;
                EXPECT_THAT(planes, testing::Each(is_signed ? -sum : sum));
            }
        }
    });
}

TEST(SmallConvPairs, TakeWhatARingHasRoomFor) {
    SmallConvShape s;
    s.src_channels = 64;
    s.dst_channels = 8;
    s.kernel_height = s.kernel_width = 3;
    s.src_height = s.src_width = s.dst_height = s.dst_width = 32;
    EXPECT_TRUE(SmallConv::takes_pairs(s));
    s.src_channels = 1024;
    EXPECT_FALSE(SmallConv::takes_pairs(s));
    s.src_channels = 4;
    s.dst_channels = 9;
    EXPECT_FALSE(SmallConv::takes_pairs(s));
    s.dst_channels = 1;
    s.kernel_height = 33;
    EXPECT_FALSE(SmallConv::takes_pairs(s));
}

TEST(SmallConvPairs, StorePlanesOfFloatsOnly) {
    Case c = pairs_case(1);
    attach(c);
    c.params.dst_type = ElementType::u8;
    EXPECT_THROW(SmallConv{c.params}, Error);
    c.params.dst_type = ElementType::f32;
    c.params.pixels = true;
    EXPECT_THROW(SmallConv{c.params}, Error);
}

}  // namespace
}  // namespace fuseq::kernels
