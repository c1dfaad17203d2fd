// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/pool/max_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/elements.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::Bytes;
using test::on_every_target;

MaxPoolAxis random_axis(std::mt19937& rng, std::size_t largest) {
    MaxPoolAxis a;
    a.src = 1 + rng() % largest;
    a.kernel = 1 + rng() % (rng() % 4 == 0 ? 20 : 3);
    a.stride = 1 + rng() % 3;
    a.dilation = 1 + rng() % 3 / 2 * (rng() % 3);
    a.pad = rng() % (a.kernel + 1);  // with windows that lie in the padding
    const std::size_t extent = (a.kernel - 1) * a.dilation + 1;
    const std::size_t padded = a.src + a.pad + rng() % (a.kernel + 1);
    a.dst = padded < extent ? 1 : (padded - extent) / a.stride + 1;
    return a;
}

MaxPoolParams random_params(std::mt19937& rng) {
    constexpr std::size_t kChannels[] = {1, 3, 4, 15, 16, 17, 32, 33, 64, 100, 300};
    MaxPoolParams p;
    p.type = test::random_type(rng);
    p.batch = 1 + rng() % 2;
    p.channels = kChannels[rng() % std::size(kChannels)];
    if (rng() % 4 == 0) {
        p.depth = random_axis(rng, 4);
    }
    p.height = random_axis(rng, 12);
    p.width = random_axis(rng, rng() % 8 == 0 ? 300 : 20);
    p.src_pixel_stride = rng() % 3 == 0 ? p.channels + rng() % 9 : 0;
    p.dst_pixel_stride = rng() % 3 == 0 ? p.channels + rng() % 9 : 0;
    return p;
}

float min(ElementType type) {
    return type == ElementType::u8   ? 0.0f
           : type == ElementType::i8 ? -128.0f
                                     : -std::numeric_limits<float>::infinity();
}

// Calls tap(position in src) for the positions of a window.
template <class Function>
void for_taps(const MaxPoolAxis& a, std::size_t window, const Function& tap) {
    for (std::size_t k = 0; k < a.kernel; ++k) {
        const std::size_t at = window * a.stride + k * a.dilation;
        if (at >= a.pad && at - a.pad < a.src) {
            tap(at - a.pad);
        }
    }
}

Bytes expected(const MaxPoolParams& p, const Bytes& src, Bytes dst) {
    const std::size_t src_stride = p.src_pixel_stride == 0 ? p.channels : p.src_pixel_stride;
    const std::size_t dst_stride = p.dst_pixel_stride == 0 ? p.channels : p.dst_pixel_stride;
    for (std::size_t row = 0; row < max_pool_rows(p); ++row) {
        const std::size_t y = row % p.height.dst;
        const std::size_t z = row / p.height.dst % p.depth.dst;
        const std::size_t image = row / p.height.dst / p.depth.dst;
        for (std::size_t x = 0; x < p.width.dst; ++x) {
            for (std::size_t c = 0; c < p.channels; ++c) {
                float best = min(p.type);
                for_taps(p.depth, z, [&](std::size_t sz) {
                    for_taps(p.height, y, [&](std::size_t sy) {
                        for_taps(p.width, x, [&](std::size_t sx) {
                            const std::size_t at =
                                ((image * p.depth.src + sz) * p.height.src + sy) * p.width.src + sx;
                            best = std::max(best, test::element(src, p.type, at * src_stride + c));
                        });
                    });
                });
                test::set_element(dst, p.type, (row * p.width.dst + x) * dst_stride + c, best);
            }
        }
    }
    return dst;
}

TEST(MaxPool, MatchesPlainLoopsOnEveryTarget) {
    on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 250; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            const MaxPoolParams p = random_params(rng);
            check_max_pool(p);
            const std::size_t src_stride =
                p.src_pixel_stride == 0 ? p.channels : p.src_pixel_stride;
            const std::size_t stride = p.dst_pixel_stride == 0 ? p.channels : p.dst_pixel_stride;
            const std::size_t rows = max_pool_rows(p);
            const Bytes src = test::random_elements(
                rng, p.type, p.batch * p.depth.src * p.height.src * p.width.src * src_stride);
            Bytes dst(rows * p.width.dst * stride * size_of(p.type), 0xA5);
            const Bytes want = expected(p, src, dst);
            const std::size_t cut = rng() % (rows + 1);
            max_pool(p, src.data(), dst.data(), {0, cut});
            max_pool(p, src.data(), dst.data(), {cut, rows});
            ASSERT_EQ(dst, want);
        }
    });
}

// More channels and wider windows than a tile holds at once.
TEST(MaxPool, SplitsChannelsThatDoNotFit) {
    on_every_target([](const std::string&) {
        MaxPoolParams p;
        p.type = ElementType::f32;
        p.channels = 5000;
        p.height = {.src = 3, .dst = 1, .kernel = 3};
        p.width = {.src = 40, .dst = 3, .kernel = 30, .stride = 5};
        check_max_pool(p);
        std::mt19937 rng(1);
        const Bytes src = test::random_elements(rng, p.type, 3 * 40 * p.channels);
        Bytes dst(3 * p.channels * 4);
        const Bytes want = expected(p, src, dst);
        max_pool(p, src.data(), dst.data(), {0, 1});
        EXPECT_EQ(dst, want);
    });
}

TEST(MaxPool, KnownNumbers) {
    on_every_target([](const std::string&) {
        MaxPoolParams p;
        p.type = ElementType::i8;
        p.channels = 1;
        p.height = {.src = 2, .dst = 1, .kernel = 2, .stride = 2};
        p.width = {.src = 4, .dst = 2, .kernel = 2, .stride = 2};
        const std::int8_t src[] = {-5, 3, -128, -100, 7, -9, -101, -127};
        std::int8_t dst[2] = {};
        max_pool(p, src, dst, {0, 1});
        EXPECT_THAT(dst, testing::ElementsAre(7, -100));
    });
}

void expect_refused(const MaxPoolParams& p, const std::string& text) {
    try {
        check_max_pool(p);
        FAIL() << "expected: " << text;
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr(text));
    }
}

TEST(MaxPool, RefusesWhatItDoesNotTake) {
    const MaxPoolParams fine{.channels = 4};
    check_max_pool(fine);
    MaxPoolParams p = fine;
    p.type = ElementType::i32;
    expect_refused(p, "i32, expected u8, i8 or f32");
    p = fine;
    p.height.stride = 0;
    expect_refused(p, "a size of 0");
    p = fine;
    p.width.kernel = 20000;
    expect_refused(p, "windows of 20000 columns, at most 16384 are possible");
    p = fine;
    p.dst_pixel_stride = 3;
    expect_refused(p, "4 channels, pixel strides 0, 3");
}

}  // namespace
}  // namespace fuseq::kernels
