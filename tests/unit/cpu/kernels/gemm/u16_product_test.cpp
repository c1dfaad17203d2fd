// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/u16_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/kernels/gemm/u16_product_detail.hpp"
#include "cpu/machine/instructions.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

struct Problem {
    ConvGeometry shape;
    bool depthwise = false;
    std::vector<std::uint16_t> src{};
    std::vector<std::int8_t> wei{};  // [dst][src][row][column]
    std::vector<std::int32_t> zero_point{};

    std::size_t inputs() const { return depthwise ? 1 : shape.src_channels; }
    std::int8_t weight(std::size_t c, std::size_t k, std::size_t row, std::size_t column) const {
        return wei[((c * inputs() + k) * shape.kernel_height + row) * shape.kernel_width + column];
    }
    U16Product product(U16Form form) const {
        U16Params params;
        params.shape = shape;
        params.depthwise = depthwise;
        params.weight = [this](auto c, auto k, auto row, auto column) {
            return weight(c, k, row, column);
        };
        params.zero_point = zero_point;
        params.form = form;
        return U16Product(params);
    }
    std::size_t pixels() const { return shape.batch * shape.dst_height * shape.dst_width; }

    // By the formula, in 64 bits.
    std::int64_t expected(std::size_t pixel, std::size_t c) const {
        const ConvGeometry& s = shape;
        const std::size_t image = pixel / (s.dst_height * s.dst_width);
        std::int64_t sum = 0;
        for (std::size_t row = 0; row < s.kernel_height; ++row) {
            for (std::size_t column = 0; column < s.kernel_width; ++column) {
                const auto y = static_cast<std::ptrdiff_t>(pixel / s.dst_width % s.dst_height *
                                                               s.stride_height +
                                                           row * s.dilation_height) -
                               s.pad_top;
                const auto x = static_cast<std::ptrdiff_t>(pixel % s.dst_width * s.stride_width +
                                                           column * s.dilation_width) -
                               s.pad_left;
                if (y < 0 || x < 0 || y >= static_cast<std::ptrdiff_t>(s.src_height) ||
                    x >= static_cast<std::ptrdiff_t>(s.src_width)) {
                    continue;
                }
                const std::size_t at =
                    (image * s.src_height + static_cast<std::size_t>(y)) * s.src_width +
                    static_cast<std::size_t>(x);
                for (std::size_t k = 0; k < inputs(); ++k) {
                    const std::size_t from = depthwise ? c : k;
                    const std::int64_t z = zero_point[zero_point.size() == 1 ? 0 : from];
                    sum += (src[at * s.src_channels + from] - z) * weight(c, k, row, column);
                }
            }
        }
        return sum;
    }
};

std::vector<U16Form> forms() {
    std::vector<U16Form> all{U16Form::kPairs};
    if (has_avx512_vnni()) {
        all.push_back(U16Form::kVnni512);
    }
    if (has_amx_int8()) {
        all.push_back(U16Form::kAmx);
    }
    return all;
}

// The ends of the range often, so that bytes and halves meet their limits.
Problem random_problem(std::mt19937& rng, bool depthwise) {
    Problem p;
    p.depthwise = depthwise;
    ConvGeometry& s = p.shape;
    const auto one_of = [&](std::initializer_list<std::size_t> list) {
        return list.begin()[rng() % list.size()];
    };
    s.batch = 1 + rng() % 2;
    s.src_channels = one_of({1, 3, 8, 16, 20, 24, 33, 40, 70});
    s.dst_channels = depthwise ? s.src_channels : one_of({1, 7, 16, 24, 33, 80});
    s.kernel_height = one_of({1, 2, 3, 3});
    s.kernel_width = one_of({1, 2, 3, 3});
    s.stride_height = 1 + rng() % 2;
    s.stride_width = 1 + rng() % 2;
    s.dilation_height = 1 + rng() % 2;
    s.dilation_width = 1 + rng() % 2;
    s.dst_height = 1 + rng() % 5;
    s.dst_width = one_of({1, 3, 7, 17, 40});
    s.pad_top = static_cast<std::ptrdiff_t>(rng() % 3);
    s.pad_left = static_cast<std::ptrdiff_t>(rng() % 3);
    const auto source = [&](std::size_t dst, std::size_t stride, std::size_t kernel,
                            std::size_t dilation, std::ptrdiff_t pad) {
        const auto size =
            static_cast<std::ptrdiff_t>((dst - 1) * stride + (kernel - 1) * dilation + 1) - pad -
            static_cast<std::ptrdiff_t>(rng() % 2);
        return static_cast<std::size_t>(std::max<std::ptrdiff_t>(size, 1));
    };
    s.src_height =
        source(s.dst_height, s.stride_height, s.kernel_height, s.dilation_height, s.pad_top);
    s.src_width = source(s.dst_width, s.stride_width, s.kernel_width, s.dilation_width, s.pad_left);
    p.src.resize(s.batch * s.src_height * s.src_width * s.src_channels);
    for (std::uint16_t& value : p.src) {
        const auto any = static_cast<std::uint16_t>(rng());
        value = any % 5 == 0 ? std::uint16_t{65535} : any % 5 == 1 ? std::uint16_t{0} : any;
    }
    p.wei.resize(s.dst_channels * p.inputs() * s.kernel_height * s.kernel_width);
    for (std::int8_t& value : p.wei) {
        value = static_cast<std::int8_t>(rng());
    }
    for (std::size_t i = depthwise && rng() % 2 == 0 ? s.src_channels : 1; i > 0; --i) {
        p.zero_point.push_back(
            static_cast<std::int32_t>(one_of({0, 255, 256, 32768, 40000, 65535})));
    }
    return p;
}

template <class F>
void for_problems(const F& check) {
    const auto seed = std::random_device{}();
    fuseq::test::on_every_target([&](const std::string&) {
        std::mt19937 rng(seed);
        for (int i = 0; i < 120 && !testing::Test::HasFailure(); ++i) {
            const Problem p = random_problem(rng, i % 2 == 1);
            for (const U16Form form : forms()) {
                const ConvGeometry& s = p.shape;
                SCOPED_TRACE(testing::Message()
                             << "seed " << seed << " number " << i << " form "
                             << static_cast<int>(form) << " depthwise " << p.depthwise << " src "
                             << s.batch << "x" << s.src_height << "x" << s.src_width << "x"
                             << s.src_channels << " dst " << s.dst_height << "x" << s.dst_width
                             << "x" << s.dst_channels << " kernel " << s.kernel_height << "x"
                             << s.kernel_width);
                check(p, p.product(form));
            }
        }
    });
}

TEST(U16Product, SumsAreExact) {
    for_problems([](const Problem& p, const U16Product& product) {
        const std::size_t channels = p.shape.dst_channels;
        AlignedVector<std::uint8_t> scratch(product.scratch_bytes());
        std::vector<float> got(p.pixels() * channels, -1);
        for (std::size_t unit = 0; unit < product.units(); unit += 3) {
            product.run(p.src.data(), {unit, std::min(unit + 3, product.units())}, scratch.data(),
                        [&](const float* sums, std::size_t pixel, std::size_t count) {
                            for (std::size_t i = 0; i < count; ++i) {
                                std::copy_n(sums + i * product.pitch(), channels,
                                            got.data() + (pixel + i) * channels);
                            }
                        });
        }
        for (std::size_t i = 0; i < got.size(); ++i) {
            ASSERT_EQ(got[i], static_cast<float>(p.expected(i / channels, i % channels)))
                << "pixel " << i / channels << " channel " << i % channels;
        }
    });
}

// Scales are such that results lie below, in and above the range; next to halves either neighbour
// is right.
TEST(U16Product, ResultsAreRoundedAndBounded) {
    for_problems([](const Problem& p, const U16Product& product) {
        const std::size_t channels = p.shape.dst_channels;
        std::vector<float> scale, bias, slope, shift;
        for (std::size_t c = 0; c < channels; ++c) {
            scale.push_back(0.0005F * static_cast<float>(1 + c % 7));
            bias.push_back(static_cast<float>(c * 97 % 3000));
            slope.push_back(c % 2 == 0 ? 0.0F : -0.25F);
            shift.push_back(static_cast<float>(c % 5) - 2.5F);
        }
        const bool slopes = channels % 2 == 0;
        const U16Finish finish(
            {.scale = scale,
             .bias = bias,
             .slope = slopes ? std::span<const float>(slope) : std::span<const float>(),
             .shift = shift,
             .low = 3,
             .high = 60000},
            channels);
        AlignedVector<std::uint8_t> scratch(product.scratch_bytes());
        std::vector<std::uint16_t> got(p.pixels() * channels + 1, 77);
        product.run(p.src.data(), {0, product.units()}, scratch.data(), finish, got.data());
        EXPECT_EQ(got.back(), 77);  // nothing is written after the last pixel
        for (std::size_t i = 0; i + 1 < got.size(); ++i) {
            const std::size_t c = i % channels;
            double x = static_cast<double>(p.expected(i / channels, c)) * scale[c] + bias[c];
            x = (slopes && x < 0 ? x * slope[c] : x) + shift[c];
            x = std::clamp(x, 3.0, 60000.0);
            ASSERT_NEAR(got[i], x, 0.5 + std::abs(x) * 0x1p-21 + 0x1p-10)
                << "pixel " << i / channels << " channel " << c;
        }
    });
}

// One rounding of an operation on floats: a double holds the exact product, and of a sum enough.
float product(float a, float b) {
    return static_cast<float>(static_cast<double>(a) * static_cast<double>(b));
}
float sum(float a, float b) {
    return static_cast<float>(static_cast<double>(a) + static_cast<double>(b));
}

// After a bound and a scale a channel the bytes are those of an operation after the other. Some
// channels reach 65535 before their bound, and what is below zero is zero.
TEST(U16Product, BoundedResultsAreScaledAgain) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    int number = 0;
    for_problems([&](const Problem& p, const U16Product& u16) {
        const std::size_t channels = p.shape.dst_channels;
        const float low = std::array{0.0F, -kInfinity, -1.5F, 0.75F}[number % 4];
        const float high = number % 3 == 0 ? kInfinity : 6.0F;
        const bool slopes = number++ % 5 == 0;
        std::vector<float> scale, bias, rescale;
        for (std::size_t c = 0; c < channels; ++c) {
            scale.push_back(0x1p-20F * static_cast<float>(3 + c % 7));
            bias.push_back(static_cast<float>(c * 97 % 3000) / 1024 - 1);
            rescale.push_back(c % 3 == 0 ? 20000.7F : 3000.0F + static_cast<float>(c));
        }
        const std::vector<float> slope{-0.3F};
        const std::vector<float> shift{0.1F};
        U16Finish::Params params{.scale = scale,
                                 .bias = bias,
                                 .slope = {},
                                 .shift = {},
                                 .low = low,
                                 .high = high,
                                 .rescale = rescale};
        if (slopes) {
            params.slope = slope;
            params.shift = shift;
        }
        AlignedVector<std::uint8_t> scratch(u16.scratch_bytes());
        std::vector<std::uint16_t> got(p.pixels() * channels + 1, 77);
        u16.run(p.src.data(), {0, u16.units()}, scratch.data(), U16Finish(params, channels),
                got.data());
        EXPECT_EQ(got.back(), 77);
        for (std::size_t i = 0; i + 1 < got.size(); ++i) {
            const std::size_t c = i % channels;
            const auto whole = static_cast<float>(p.expected(i / channels, c));
            float x = sum(product(whole, scale[c]), bias[c]);
            if (slopes) {
                x = sum(x < 0 ? product(x, slope[0]) : x, shift[0]);
            }
            x = product(std::min(std::max(x, low), high), rescale[c]);
            ASSERT_EQ(got[i], std::nearbyint(std::clamp(x, 0.0F, 65535.0F)))
                << "pixel " << i / channels << " channel " << c << " low " << low << " high "
                << high << " slopes " << slopes;
        }
    });
}

// A zero keeps its sign where nothing is added.
TEST(U16Product, FloatsAreRoundedTwice) {
    int number = 0;
    for_problems([&](const Problem& p, const U16Product& u16) {
        const std::size_t channels = p.shape.dst_channels;
        const bool biased = number++ % 2 == 0;
        std::vector<float> scale, bias;
        for (std::size_t c = 0; c < channels; ++c) {
            scale.push_back(0.0007F * (c % 2 == 0 ? 1.0F : -3.0F));
            bias.push_back(static_cast<float>(c) * 1.1F - 7);
        }
        U16Finish::Params params{
            .scale = scale, .bias = {}, .slope = {}, .shift = {}, .to_floats = true};
        if (biased) {
            params.bias = bias;
        }
        AlignedVector<std::uint8_t> scratch(u16.scratch_bytes());
        std::vector<float> got(p.pixels() * channels + 1, 77);
        u16.run(p.src.data(), {0, u16.units()}, scratch.data(), U16Finish(params, channels),
                got.data());
        EXPECT_EQ(got.back(), 77);
        for (std::size_t i = 0; i + 1 < got.size(); ++i) {
            const std::size_t c = i % channels;
            const auto whole = static_cast<float>(p.expected(i / channels, c));
            const float scaled = product(whole, scale[c]);
            const float x = biased ? sum(scaled, bias[c]) : scaled;
            ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(x))
                << "pixel " << i / channels << " channel " << c << ": " << got[i] << ", not " << x;
        }
    });
}

// What AMX leaves in tiles, without AMX: sums of low bytes, then of high ones.
TEST(U16Product, TilesAreJoinedToResults) {
    if (!has_avx512_vnni()) {
        GTEST_SKIP() << "no AVX-512 VNNI";
    }
    constexpr std::size_t kPixels = 5;
    constexpr std::size_t kGroups = 3;
    constexpr std::size_t kRow = kGroups * u16::kGroup;
    const auto seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    alignas(64) std::int32_t tile[2 * kPixels * kRow];
    for (std::int32_t& value : tile) {
        value = static_cast<std::int32_t>(rng() % 100000) - 50000;
    }
    std::vector<std::int32_t> init(kRow);
    for (std::int32_t& value : init) {
        value = static_cast<std::int32_t>(rng() % 1000) - 500;
    }
    const std::vector<float> scale{0x1p-20F * 3};
    const std::vector<float> rescale{9000.5F};
    for (const std::size_t channels : {kRow, kRow - 7}) {
        const U16Finish integers({.scale = scale,
                                  .bias = {},
                                  .slope = {},
                                  .shift = {},
                                  .low = 0,
                                  .high = 6,
                                  .rescale = rescale},
                                 channels);
        const U16Finish reals(
            {.scale = scale, .bias = {}, .slope = {}, .shift = {}, .to_floats = true}, channels);
        std::vector<std::uint16_t> got(kPixels * channels + 1, 77);
        std::vector<float> floats(kPixels * channels + 1, 77);
        u16::join_results_vnni512(tile, kPixels, kGroups, init.data(),
                                  {.finish = &integers, .dst = got.data(), .channel = 0});
        u16::join_results_vnni512(tile, kPixels, kGroups, init.data(),
                                  {.finish = &reals, .dst = floats.data(), .channel = 0});
        EXPECT_EQ(got.back(), 77);
        EXPECT_EQ(floats.back(), 77);
        for (std::size_t i = 0; i < kPixels * channels; ++i) {
            const std::size_t c = i % channels;
            const std::size_t at = i / channels * kRow + c;
            const std::int32_t whole = tile[at] + 256 * tile[kPixels * kRow + at] + init[c];
            const float x = product(static_cast<float>(whole), scale[0]);
            ASSERT_EQ(floats[i], x) << i;
            const float y = product(std::min(std::max(x, 0.0F), 6.0F), rescale[0]);
            ASSERT_EQ(got[i], std::nearbyint(std::min(y, 65535.0F))) << i;
        }
    }
}

TEST(U16Product, StoresWholeNumbers) {
    fuseq::test::on_every_target([](const std::string&) {
        std::vector<float> from;
        for (int i = 0; i < 65536; i += 13) {
            from.push_back(static_cast<float>(i));
        }
        std::vector<std::uint16_t> to(from.size());
        store_u16(from.data(), from.size(), to.data());
        for (std::size_t i = 0; i < from.size(); ++i) {
            ASSERT_EQ(to[i], 13 * i);
        }
    });
}

TEST(U16Product, StoresPlanesOfThreeAsPixels) {
    fuseq::test::on_every_target([](const std::string&) {
        for (const std::size_t count : {1U, 7U, 16U, 35U, 64U}) {
            constexpr std::size_t kPlane = 70;
            std::vector<float> planes(3 * kPlane);
            for (std::size_t i = 0; i < planes.size(); ++i) {
                planes[i] = static_cast<float>(i * 313 % 65536);
            }
            planes[0] = 65535;
            std::vector<std::uint16_t> to(3 * count + 1, 77);
            store_u16_of_three(planes.data(), kPlane, count, to.data());
            EXPECT_EQ(to.back(), 77);
            for (std::size_t i = 0; i < 3 * count; ++i) {
                ASSERT_EQ(to[i], planes[i % 3 * kPlane + i / 3]) << count << " pixels, " << i;
            }
        }
    });
}

}  // namespace
}  // namespace fuseq::kernels
