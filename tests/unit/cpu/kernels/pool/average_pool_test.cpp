// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/pool/average_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/elements.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::Bytes;
using test::on_every_target;

std::size_t dst_size(std::size_t src, std::size_t pads, std::size_t kernel, std::size_t stride) {
    return (src + pads - kernel) / stride + 1;
}

AveragePoolParams random_params(std::mt19937& rng) {
    constexpr std::size_t kChannels[] = {1, 3, 15, 16, 31, 32, 33, 64, 100};
    AveragePoolParams p;
    p.batch = 1 + rng() % 2;
    p.channels = kChannels[rng() % std::size(kChannels)];
    p.src_height = 1 + rng() % 20;
    p.src_width = 1 + rng() % 20;
    const bool global = rng() % 3 == 0;
    p.kernel_height = global ? p.src_height : 1 + rng() % std::min<std::size_t>(4, p.src_height);
    p.kernel_width = global ? p.src_width : 1 + rng() % std::min<std::size_t>(4, p.src_width);
    p.pad_top = rng() % p.kernel_height;
    p.pad_bottom = rng() % p.kernel_height;
    p.pad_left = rng() % p.kernel_width;
    p.pad_right = rng() % p.kernel_width;
    p.stride_height = 1 + rng() % 3;
    p.stride_width = 1 + rng() % 3;
    p.dst_height =
        dst_size(p.src_height, p.pad_top + p.pad_bottom, p.kernel_height, p.stride_height);
    p.dst_width = dst_size(p.src_width, p.pad_left + p.pad_right, p.kernel_width, p.stride_width);
    p.include_padding = rng() % 2 == 0;
    p.src_type = rng() % 2 == 0 ? ElementType::u8 : ElementType::i8;
    p.dst_type = test::random_type(rng);
    p.src_zero_point = static_cast<int>(rng() % 100) - 50;
    p.scale = rng() % 2 == 0 ? 1.0f : 0.37f;
    p.shift = rng() % 2 == 0 ? 0.0f : 12.5f;
    p.src_pixel_stride = rng() % 3 == 0 ? p.channels + rng() % 9 : 0;
    p.dst_pixel_stride = rng() % 3 == 0 ? p.channels + rng() % 9 : 0;
    return p;
}

float expected(const AveragePoolParams& p, const Bytes& src, std::size_t pixel, std::size_t c) {
    const auto signed_of = [](std::size_t v) { return static_cast<std::ptrdiff_t>(v); };
    const std::size_t stride = p.src_pixel_stride == 0 ? p.channels : p.src_pixel_stride;
    const std::size_t image = pixel / (p.dst_height * p.dst_width);
    const auto top =
        signed_of(pixel / p.dst_width % p.dst_height * p.stride_height) - signed_of(p.pad_top);
    const auto left = signed_of(pixel % p.dst_width * p.stride_width) - signed_of(p.pad_left);
    std::int64_t sum = 0;
    int count = 0;
    for (auto y = top; y < top + signed_of(p.kernel_height); ++y) {
        for (auto x = left; x < left + signed_of(p.kernel_width); ++x) {
            const bool padded = y < signed_of(p.src_height + p.pad_bottom) &&
                                x < signed_of(p.src_width + p.pad_right);
            const bool inside =
                y >= 0 && x >= 0 && y < signed_of(p.src_height) && x < signed_of(p.src_width);
            count += inside || (p.include_padding && padded) ? 1 : 0;
            if (inside) {
                const std::size_t at =
                    (image * p.src_height + static_cast<std::size_t>(y)) * p.src_width +
                    static_cast<std::size_t>(x);
                sum += static_cast<int>(test::element(src, p.src_type, at * stride + c)) -
                       p.src_zero_point;
            }
        }
    }
    return std::fma(static_cast<float>(sum), p.scale / static_cast<float>(count), p.shift);
}

TEST(AveragePool, MatchesPlainLoopsOnEveryTarget) {
    on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 120; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            const AveragePoolParams p = random_params(rng);
            check_average_pool(p);
            const std::size_t src_stride =
                p.src_pixel_stride == 0 ? p.channels : p.src_pixel_stride;
            const std::size_t stride = p.dst_pixel_stride == 0 ? p.channels : p.dst_pixel_stride;
            const std::size_t pixels = p.batch * p.dst_height * p.dst_width;
            const Bytes src = test::random_elements(
                rng, p.src_type, p.batch * p.src_height * p.src_width * src_stride);
            Bytes dst(pixels * stride * size_of(p.dst_type), 0xA5);
            Bytes want = dst;
            for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
                for (std::size_t c = 0; c < p.channels; ++c) {
                    test::set_element(want, p.dst_type, pixel * stride + c,
                                      expected(p, src, pixel, c));
                }
            }
            const std::size_t cut = rng() % (pixels + 1);
            const std::size_t channel = rng() % (p.channels + 1);
            for (const Range range : {Range{0, cut}, Range{cut, pixels}}) {
                average_pool(p, src.data(), dst.data(), range, {0, channel});
                average_pool(p, src.data(), dst.data(), range, {channel, p.channels});
            }
            ASSERT_EQ(dst, want);
        }
    });
}

// 400 taps of 255 need more than 16 bits.
TEST(AveragePool, LongSumsAreExact) {
    on_every_target([](const std::string&) {
        const AveragePoolParams p{.channels = 80,
                                  .src_height = 20,
                                  .src_width = 20,
                                  .dst_height = 1,
                                  .dst_width = 1,
                                  .kernel_height = 20,
                                  .kernel_width = 20,
                                  .dst_type = ElementType::f32};
        const Bytes src(400 * 80, 255);
        std::vector<float> dst(80);
        average_pool(p, src.data(), dst.data(), {0, 1}, {0, 80});
        EXPECT_THAT(dst, testing::Each(testing::FloatEq(255.0f)));
    });
}

TEST(AveragePool, Refuses) {
    const auto refusal = [](const AveragePoolParams& p) -> std::string {
        try {
            check_average_pool(p);
        } catch (const Error& e) {
            return e.what();
        }
        return "accepted";
    };
    AveragePoolParams p{
        .channels = 1, .src_height = 2, .src_width = 2, .dst_height = 2, .dst_width = 2};
    EXPECT_EQ(refusal(p), "accepted");
    p.pad_top = 1;
    EXPECT_THAT(refusal(p), testing::HasSubstr("a window lies in the padding"));
    p.pad_top = 0;
    p.src_type = ElementType::f32;
    EXPECT_THAT(refusal(p), testing::HasSubstr("f32 to u8"));
    p.src_type = ElementType::u8;
    p.src_pixel_stride = 1;
    p.channels = 2;
    EXPECT_THAT(refusal(p), testing::HasSubstr("pixel stride"));
}

}  // namespace
}  // namespace fuseq::kernels
