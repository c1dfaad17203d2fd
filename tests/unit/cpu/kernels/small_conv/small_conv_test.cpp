// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/small_conv/small_conv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fuseq/error.hpp"
#include "unit/cpu/kernels/small_conv/small_conv_case.hpp"

namespace fuseq::kernels {
namespace {

using test::for_small_conv_cases;
using test::value_at;
using Case = test::SmallConvCase;

bool stores_bytes(const Case& c) {
    return SmallConv::stores_bytes(c.params);
}

bool stores_pixels(const Case& c) {
    return SmallConv::stores_pixels(c.params.shape);
}

// Bytes by the way that takes a sigmoid before them.
bool takes_a_sigmoid(const Case& c) {
    return SmallConv::stores_bytes(c.params) && !SmallConv::has_lists(c.params.shape);
}

TEST(SmallConv, MatchesPlainLoopsForAnySplitOfTheRows) {
    for_small_conv_cases(60, false, [](const Case& c, std::mt19937& rng) {
        const SmallConv kernel(c.params);
        const SmallConvShape& s = c.params.shape;
        std::size_t seen = 0;
        const auto check = [&](const SmallConvTile& tile) {
            for (std::size_t i = 0; i < tile.count; ++i) {
                for (std::size_t oc = 0; oc < s.dst_channels; ++oc) {
                    ASSERT_EQ(tile.planes[oc * kSmallConvTile + i],
                              value_at(c, tile.image, oc, tile.y, tile.x + i))
                        << "image " << tile.image << " channel " << oc << " y " << tile.y << " x "
                        << tile.x + i;
                }
            }
            seen += tile.count;
        };
        ASSERT_EQ(kernel.rows(), s.batch * s.dst_height);
        const std::size_t cut = rng() % (kernel.rows() + 1);
        kernel.run(c.src.data(), {0, cut}, check);
        kernel.run(c.src.data(), {cut, kernel.rows()}, check);
        EXPECT_EQ(seen, s.batch * s.dst_height * s.dst_width);
    });
}

// As the receiver gets them, and nothing after them.
TEST(SmallConv, StoresPlanes) {
    for_small_conv_cases(40, false, [](const Case& c, std::mt19937& rng) {
        const SmallConv kernel(c.params);
        const SmallConvShape& s = c.params.shape;
        const std::size_t plane = s.dst_height * s.dst_width;
        const std::size_t size = s.batch * s.dst_channels * plane;
        constexpr float kMark = -1234.5f;
        std::vector<float> planes(size + 64, kMark);
        const std::size_t cut = rng() % (kernel.rows() + 1);
        kernel.run_to_planes(c.src.data(), {cut, kernel.rows()}, planes.data());
        kernel.run_to_planes(c.src.data(), {0, cut}, planes.data());
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t pixel = i % plane;
            const std::size_t image = i / plane / s.dst_channels;
            ASSERT_EQ(planes[i], value_at(c, image, i / plane % s.dst_channels, pixel / s.dst_width,
                                          pixel % s.dst_width))
                << "element " << i;
        }
        EXPECT_EQ(
            std::count(planes.begin() + static_cast<std::ptrdiff_t>(size), planes.end(), kMark),
            64);
    });
}

TEST(SmallConv, StoresRoundedAndSaturatedBytes) {
    for_small_conv_cases(60, false, stores_bytes, [](Case& c, std::mt19937& rng) {
        c.params.dst_type = rng() % 2 == 0 ? ElementType::u8 : ElementType::i8;
        const float low = c.params.dst_type == ElementType::u8 ? 0.0f : -128.0f;
        const SmallConv kernel(c.params);
        const SmallConvShape& s = c.params.shape;
        // Nothing is written after the end.
        const std::size_t size = s.batch * s.dst_height * s.dst_width * s.dst_channels;
        test::Bytes dst(size + 1, std::uint8_t{77});
        const std::size_t cut = rng() % (kernel.rows() + 1);
        kernel.run(c.src.data(), {cut, kernel.rows()}, dst.data());
        kernel.run(c.src.data(), {0, cut}, dst.data());
        EXPECT_EQ(dst[size], std::uint8_t{77});
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t pixel = i / s.dst_channels;
            const float v = value_at(c, pixel / (s.dst_height * s.dst_width), i % s.dst_channels,
                                     pixel / s.dst_width % s.dst_height, pixel % s.dst_width);
            const float expected = std::clamp(std::nearbyint(v), low, low + 255.0f);
            ASSERT_EQ(test::element(dst, c.params.dst_type, i), expected)
                << "channel " << i % s.dst_channels << " of pixel " << pixel;
        }
    });
}

// Against the function in double precision: to a part of its size, which moves bytes near halves.
TEST(SmallConv, StoresBytesAfterASigmoid) {
    for_small_conv_cases(100, false, takes_a_sigmoid, [](Case& c, std::mt19937& rng) {
        c.params.dst_type = rng() % 2 == 0 ? ElementType::u8 : ElementType::i8;
        constexpr float kScales[] = {127.0f, 255.0f, 8204.064f, -100.0f};
        const post_ops::Eltwise sigmoid{.kind = post_ops::EltwiseKind::kSigmoid,
                                        .scale = kScales[rng() % std::size(kScales)]};
        const std::vector<post_ops::BasicOp> ops = {sigmoid};
        c.params.ops = ops;
        // Values from about -30 to 30, and some far beyond.
        const float max = rng() % 4 == 0 ? 2e-2f : 1e-4f;
        for (float& scale : c.scale) {
            scale = max * static_cast<float>(1 + rng() % 100) / 100.0f;
        }
        for (float& bias : c.bias) {
            bias = static_cast<float>(rng() % 100) / 16.0f - 3.0f;
        }
        const SmallConvShape& s = c.params.shape;
        ASSERT_TRUE(SmallConv::stores_bytes(c.params));
        const double low = c.params.dst_type == ElementType::u8 ? 0.0 : -128.0;
        const SmallConv kernel(c.params);
        const std::size_t size = s.batch * s.dst_height * s.dst_width * s.dst_channels;
        test::Bytes dst(size + 1, std::uint8_t{77});
        kernel.run(c.src.data(), {0, kernel.rows()}, dst.data());
        EXPECT_EQ(dst[size], std::uint8_t{77});
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t pixel = i / s.dst_channels;
            const double v = value_at(c, pixel / (s.dst_height * s.dst_width), i % s.dst_channels,
                                      pixel / s.dst_width % s.dst_height, pixel % s.dst_width);
            const double exact = sigmoid.scale / (1.0 + std::exp(-v));
            const double near = 0.5 + 1e-6 * std::abs(exact);
            const double byte = test::element(dst, c.params.dst_type, i);
            ASSERT_LE(std::abs(byte - std::clamp(exact, low, low + 255.0)), near)
                << "channel " << i % s.dst_channels << " of pixel " << pixel << ", sigmoid of "
                << v;
        }
    });
}

TEST(SmallConv, TakesNothingButASigmoidBeforeBytes) {
    using post_ops::Eltwise;
    using post_ops::EltwiseKind;
    EXPECT_TRUE(SmallConv::takes_before_bytes(Eltwise{.kind = EltwiseKind::kSigmoid}));
    EXPECT_FALSE(SmallConv::takes_before_bytes(Eltwise{.kind = EltwiseKind::kTanh}));
    EXPECT_FALSE(
        SmallConv::takes_before_bytes(Eltwise{.kind = EltwiseKind::kSigmoid, .scale = 1e10f}));
    EXPECT_FALSE(SmallConv::takes_before_bytes(post_ops::Round{}));
}

TEST(SmallConv, StoresFloatsChannelsLast) {
    for_small_conv_cases(200, false, stores_pixels, [](Case& c, std::mt19937& rng) {
        const SmallConvShape& s = c.params.shape;
        c.params.pixels = true;
        const SmallConv kernel(c.params);
        const std::size_t size = s.batch * s.dst_height * s.dst_width * s.dst_channels;
        std::vector<float> dst(size + 1, 77.0f);
        const std::size_t cut = rng() % (kernel.rows() + 1);
        kernel.run(c.src.data(), {cut, kernel.rows()}, dst.data());
        kernel.run(c.src.data(), {0, cut}, [&](const SmallConvTile& tile) {
            const std::size_t pixel = (tile.image * s.dst_height + tile.y) * s.dst_width + tile.x;
            std::copy_n(tile.planes, tile.count * s.dst_channels, &dst[pixel * s.dst_channels]);
        });
        EXPECT_EQ(dst[size], 77.0f);
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t pixel = i / s.dst_channels;
            ASSERT_EQ(dst[i], value_at(c, pixel / (s.dst_height * s.dst_width), i % s.dst_channels,
                                       pixel / s.dst_width % s.dst_height, pixel % s.dst_width))
                << "channel " << i % s.dst_channels << " of pixel " << pixel;
        }
    });
}

TEST(SmallConv, StoresNoBytesWhereFloatsWouldWrap) {
    SmallConvParams params;
    params.shape.src_channels = params.shape.dst_channels = 1;
    const std::vector<float> scale(1, 1e6f);
    params.scale = scale;
    EXPECT_FALSE(SmallConv::stores_bytes(params));
}

SmallConvShape shape_of(std::size_t ic, std::size_t oc, std::size_t stride) {
    SmallConvShape s;
    s.src_channels = ic;
    s.dst_channels = oc;
    s.stride_width = s.stride_height = stride;
    s.src_height = s.src_width = 32;
    s.dst_height = s.dst_width = 32 / stride;
    return s;
}

TEST(SmallConv, LeavesManyChannelsToOthers) {
    EXPECT_FALSE(SmallConv::takes(shape_of(9, 1, 1)));
    EXPECT_FALSE(SmallConv::takes(shape_of(5, 1, 2)));
    EXPECT_FALSE(SmallConv::takes(shape_of(3, 9, 1)));
    SmallConvShape tall = shape_of(3, 3, 1);
    tall.kernel_height = 40;
    EXPECT_FALSE(SmallConv::takes(tall));
}

TEST(SmallConv, RefusesListsThatDoNotFit) {
    SmallConvParams params;
    params.shape = shape_of(2, 2, 1);
    const std::vector<std::int8_t> weights(3);
    const std::vector<float> scale(1, 1.0f);
    params.weights = weights;
    params.scale = scale;
    try {
        const SmallConv kernel(params);
        FAIL() << "3 weights were taken";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr(
                                      "3 weights, 1 scales, 0 biases, 0 zero points of weights"));
    }
}

}  // namespace
}  // namespace fuseq::kernels
