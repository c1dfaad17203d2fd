// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/resize/resize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/elements.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::Bytes;
using test::on_every_target;

ResizeParams random_params(std::mt19937& rng) {
    constexpr std::size_t kChannels[] = {1, 3, 8, 15, 16, 33, 64};
    ResizeParams p;
    p.batch = 1 + rng() % 2;
    p.channels = kChannels[rng() % std::size(kChannels)];
    p.src_height = 1 + rng() % 8;
    p.src_width = 1 + rng() % 8;
    const auto coordinates = static_cast<ResizeCoordinates>(rng() % 5);
    const bool linear = rng() % 2 == 0;
    const auto nearest = static_cast<ResizeNearest>(rng() % 5);
    const auto axis = [&](std::size_t length) {
        const std::size_t out = 1 + rng() % 17;
        const double scale = static_cast<double>(out) / static_cast<double>(length);
        return linear ? linear_axis(length, out, scale, coordinates)
                      : nearest_axis(length, out, scale, coordinates, nearest);
    };
    p.rows = axis(p.src_height);
    p.columns = axis(p.src_width);
    p.src_type = test::random_type(rng);
    p.dst_type = rng() % 2 == 0 ? p.src_type : test::random_type(rng);
    p.scale = rng() % 2 == 0 ? 1.0f : 0.37f;
    p.shift = rng() % 2 == 0 ? 0.0f : 12.5f;
    p.src_pixel_stride = rng() % 3 == 0 ? p.channels + rng() % 9 : 0;
    p.dst_pixel_stride = rng() % 3 == 0 ? p.channels + rng() % 9 : 0;
    return p;
}

float expected(
    const ResizeParams& p, const Bytes& src, std::size_t row, std::size_t x, std::size_t c) {
    const std::size_t stride = p.src_pixel_stride == 0 ? p.channels : p.src_pixel_stride;
    const std::size_t y = row % p.rows.low.size();
    const auto at = [&](std::size_t sy, std::size_t sx) {
        const std::size_t line = row / p.rows.low.size() * p.src_height + sy;
        return test::element(src, p.src_type, (line * p.src_width + sx) * stride + c);
    };
    float v = at(p.rows.low[y], p.columns.low[x]);
    if (!p.rows.high.empty()) {
        const auto blend = [](float low, float high, float w) {
            return std::fma(high - low, w, low);
        };
        const float wy = p.rows.weight[y];
        const float left = blend(v, at(p.rows.high[y], p.columns.low[x]), wy);
        const float right =
            blend(at(p.rows.low[y], p.columns.high[x]), at(p.rows.high[y], p.columns.high[x]), wy);
        v = blend(left, right, p.columns.weight[x]);
    }
    return std::fma(v, p.scale, p.shift);
}

TEST(Resize, MatchesPlainLoopsOnEveryTarget) {
    on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 150; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            const ResizeParams p = random_params(rng);
            check_resize(p);
            const std::size_t src_stride =
                p.src_pixel_stride == 0 ? p.channels : p.src_pixel_stride;
            const std::size_t stride = p.dst_pixel_stride == 0 ? p.channels : p.dst_pixel_stride;
            const std::size_t rows = p.batch * p.rows.low.size();
            const std::size_t width = p.columns.low.size();
            const Bytes src = test::random_elements(
                rng, p.src_type, p.batch * p.src_height * p.src_width * src_stride);
            Bytes dst(rows * width * stride * size_of(p.dst_type), 0xA5);
            Bytes want = dst;
            for (std::size_t i = 0; i < rows * width * p.channels; ++i) {
                const std::size_t c = i % p.channels;
                const std::size_t pixel = i / p.channels;
                test::set_element(want, p.dst_type, pixel * stride + c,
                                  expected(p, src, pixel / width, pixel % width, c));
            }
            const std::size_t cut = rng() % (rows + 1);
            resize(p, src.data(), dst.data(), {cut, rows});
            resize(p, src.data(), dst.data(), {0, cut});
            ASSERT_EQ(dst, want);
        }
    });
}

// What resize() gives as floats without scale and shift, and not an element beyond.
TEST(Resize, PixelsOfOneRow) {
    on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 150; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            ResizeParams p = random_params(rng);
            if (p.rows.high.empty()) {
                continue;
            }
            p.scale = 1.0f;
            p.shift = 0.0f;
            const std::size_t stride = p.src_pixel_stride == 0 ? p.channels : p.src_pixel_stride;
            const Bytes src = test::random_elements(rng, p.src_type,
                                                    p.batch * p.src_height * p.src_width * stride);
            const std::size_t row = rng() % (p.batch * p.rows.low.size());
            const std::size_t begin = rng() % p.columns.low.size();
            const std::size_t end = begin + 1 + rng() % (p.columns.low.size() - begin);
            std::vector<float> dst((end - begin) * p.channels + 1, -7.0f);
            resize_pixels(p, src.data(), dst.data(), row, {begin, end});
            for (std::size_t i = 0; i + 1 < dst.size(); ++i) {
                ASSERT_EQ(dst[i], expected(p, src, row, begin + i / p.channels, i % p.channels))
                    << "element " << i;
            }
            EXPECT_EQ(dst.back(), -7.0f);
        }
    });
}

TEST(Resize, Refuses) {
    EXPECT_THAT([] { linear_axis(0, 3, 1.0, ResizeCoordinates::kHalfPixel); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("0 to 3")));
    EXPECT_THAT([] { linear_axis(2, 3, 0.0, ResizeCoordinates::kHalfPixel); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("scale 0")));
    ResizeParams p;
    p.channels = 4;
    p.src_height = p.src_width = 2;
    p.rows = linear_axis(2, 3, 1.5, ResizeCoordinates::kHalfPixel);
    p.columns = p.rows;
    EXPECT_NO_THROW(check_resize(p));
    p.src_height = 1;
    EXPECT_THAT([&] { check_resize(p); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("do not fit")));
    p.src_height = 2;
    p.dst_pixel_stride = 3;
    EXPECT_THAT([&] { check_resize(p); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("pixel strides 0, 3")));
}

}  // namespace
}  // namespace fuseq::kernels
