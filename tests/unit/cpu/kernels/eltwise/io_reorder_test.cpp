// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/io_reorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/elements.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::Bytes;
using test::on_every_target;

struct Case {
    IoReorderParams params;
    std::vector<float> scale, shift, scale2, shift2;
    bool levels = false;
    std::size_t stride() const {
        return params.pixel_stride == 0 ? params.channels : params.pixel_stride;
    }
    std::size_t all_pixels() const { return params.batch * params.pixels; }
    float apply(std::size_t c, float x) const {
        const float v =
            std::fma(x, scale.empty() ? 1.0f : scale[c], shift.empty() ? 0.0f : shift[c]);
        return levels ? std::fma(std::min(std::max(std::nearbyint(v), -100.0f), 120.0f), scale2[c],
                                 shift2[c])
                      : v;
    }
    // Points at the vectors, which have been moved until then.
    void set_params() {
        params.scale = scale;
        params.shift = shift;
        if (levels) {
            params.levels = {-100.0f, 120.0f, scale2, shift2};
        }
    }
};

Case random_case(std::mt19937& rng) {
    constexpr std::size_t kChannels[] = {1, 2, 3, 3, 3, 4, 5, 8, 15, 16, 17, 32, 40};
    Case c;
    c.params.batch = 1 + rng() % 3;
    c.params.channels = kChannels[rng() % std::size(kChannels)];
    c.params.pixels = 1 + rng() % 200;
    c.params.src_type = test::random_type(rng);
    c.params.dst_type = test::random_type(rng);
    c.params.pixel_stride = rng() % 3 == 0 ? c.params.channels + rng() % 5 : 0;
    if (rng() % 4 != 0) {
        c.scale = test::random_floats(rng, c.params.channels, -1.0f, 1.0f);
        c.scale[0] = 0.5f;
    }
    if (rng() % 4 != 0) {
        c.shift = test::random_floats(rng, c.params.channels, -20.0f, 200.0f);
        c.shift[0] = 128.0f;
    }
    c.levels = rng() % 3 == 0;
    c.scale2 = test::random_floats(rng, c.params.channels, -1.0f, 1.0f);
    c.shift2 = test::random_floats(rng, c.params.channels, -20.0f, 200.0f);
    return c;
}

TEST(IoReorder, BothWaysMatchPlainLoopsOnEveryTarget) {
    on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 200; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            Case c = random_case(rng);
            c.set_params();
            check_io_reorder(c.params);
            const std::size_t planar = c.all_pixels() * c.params.channels;
            const std::size_t last = c.all_pixels() * c.stride();
            const bool to = seed % 2 == 0;
            const Bytes src = test::random_elements(rng, c.params.src_type, to ? planar : last);
            Bytes dst((to ? last : planar) * size_of(c.params.dst_type), 0xA5);
            Bytes want = dst;
            for (std::size_t p = 0; p < c.all_pixels(); ++p) {
                const std::size_t n = p / c.params.pixels;
                for (std::size_t ch = 0; ch < c.params.channels; ++ch) {
                    const std::size_t in_planes =
                        (n * c.params.channels + ch) * c.params.pixels + p % c.params.pixels;
                    const std::size_t in_pixels = p * c.stride() + ch;
                    const float x =
                        test::element(src, c.params.src_type, to ? in_planes : in_pixels);
                    test::set_element(want, c.params.dst_type, to ? in_pixels : in_planes,
                                      c.apply(ch, x));
                }
            }
            const std::size_t cut = rng() % (c.all_pixels() + 1);
            for (const Range range : {Range{cut, c.all_pixels()}, Range{0, cut}}) {
                if (to) {
                    to_channels_last(c.params, src.data(), dst.data(), range);
                } else {
                    from_channels_last(c.params, src.data(), dst.data(), range);
                }
            }
            ASSERT_EQ(dst, want) << c.params.channels << " channels, " << c.params.pixels
                                 << " pixels " << to_string(c.params.src_type) << "->"
                                 << to_string(c.params.dst_type) << " to " << to;
        }
    });
}

// Without scale and shift elements are moved, not computed: a NaN and a negative zero stay.
TEST(IoReorder, MovesFloatsBitByBit) {
    on_every_target([](const std::string&) {
        for (const std::size_t channels : {1, 3, 4, 15, 16, 17, 33, 255}) {
            for (const std::size_t pixels : {1, 16, 63, 100, 676}) {
                SCOPED_TRACE(detail::cat(channels, " channels, ", pixels, " pixels"));
                IoReorderParams p{.batch = 2, .channels = channels, .pixels = pixels};
                p.src_type = p.dst_type = ElementType::f32;
                p.pixel_stride = pixels % 2 == 0 ? channels : channels + 3;
                std::vector<std::uint32_t> src(2 * pixels * p.pixel_stride);
                std::mt19937 rng(7);
                std::generate(src.begin(), src.end(), rng);
                src[0] = 0x80000000;
                src[src.size() / 2] = 0x7FC01234;
                std::vector<std::uint32_t> planes(2 * pixels * channels);
                std::vector<std::uint32_t> want(planes.size());
                for (std::size_t i = 0; i < 2 * pixels; ++i) {
                    for (std::size_t c = 0; c < channels; ++c) {
                        want[(i / pixels * channels + c) * pixels + i % pixels] =
                            src[i * p.pixel_stride + c];
                    }
                }
                const std::size_t cut = rng() % (2 * pixels + 1);
                from_channels_last(p, src.data(), planes.data(), {0, cut});
                from_channels_last(p, src.data(), planes.data(), {cut, 2 * pixels});
                ASSERT_EQ(planes, want);
                p.pixel_stride = channels;
                std::vector<std::uint32_t> last(planes.size());
                to_channels_last(p, planes.data(), last.data(), {0, 2 * pixels});
                from_channels_last(p, last.data(), planes.data(), {0, 2 * pixels});
                ASSERT_EQ(planes, want);
            }
        }
    });
}

TEST(IoReorder, Refuses) {
    IoReorderParams params{.channels = 3, .pixels = 4};
    EXPECT_NO_THROW(check_io_reorder(params));
    const std::vector<float> two(2);
    params.scale = two;
    EXPECT_THAT([&] { check_io_reorder(params); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("2 scales")));
    params.scale = {};
    params.src_type = ElementType::i64;
    EXPECT_THAT([&] { check_io_reorder(params); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("i64 to u8")));
}

}  // namespace
}  // namespace fuseq::kernels
