// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Against the rules of src/ops/quantized/rules, which are held against gemmlowp and the vectors of
// the frameworks (tests/unit/ops/quantized/rules_test.cpp).
#include "cpu/kernels/eltwise/requantize_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "fuseq/error.hpp"
#include "ops/quantized/rules/d1.hpp"
#include "ops/quantized/rules/d2.hpp"
#include "ops/quantized/rules/d2_up.hpp"
#include "ops/quantized/rules/f32.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

struct Problem {
    ProductRounding rounding;
    std::vector<std::int32_t> bias;
    std::vector<FixedMultiplier> fixed;
    std::vector<float> real;
    ByteGrid grid;
    ElementType type;
};

Problem random_problem(std::mt19937& rng) {
    constexpr std::size_t kChannels[] = {1, 3, 8, 16, 24, 31, 100, 257};
    constexpr ProductRounding kRoundings[] = {ProductRounding::kHalfAway, ProductRounding::kHalfUp,
                                              ProductRounding::kOnce, ProductRounding::kReal,
                                              ProductRounding::kRealZeroFirst};
    Problem p;
    p.rounding = kRoundings[rng() % std::size(kRoundings)];
    p.type = rng() % 2 == 0 ? ElementType::u8 : ElementType::i8;
    const std::size_t channels = kChannels[rng() % std::size(kChannels)];
    for (std::size_t c = 0; c < channels; ++c) {
        p.bias.push_back(static_cast<int>(rng() % 2001) - 1000);
        // Powers of two make ties.
        const double fraction = rng() % 3 == 0 ? 0.5 : 0.5 + 0.5 * (rng() % 1000) / 1000.0;
        const double real = std::ldexp(fraction, 4 - static_cast<int>(rng() % 25));
        const auto m = rules::quantize_multiplier(real);
        p.fixed.push_back({m.mantissa, m.exponent});
        p.real.push_back(static_cast<float>(real));
    }
    const int low = p.type == ElementType::u8 ? 0 : -128;
    p.grid.zero_point = low + static_cast<int>(rng() % 256);
    p.grid.lowest = low + static_cast<int>(rng() % 2) * 10;
    p.grid.highest = low + 255 - static_cast<int>(rng() % 2) * 10;
    return p;
}

std::int64_t expected(const Problem& p, std::size_t c, std::int32_t src) {
    const auto sum = src + p.bias[c];
    const rules::QuantizedMultiplier m{p.fixed[c].mantissa, p.fixed[c].exponent};
    const std::int64_t zero = p.grid.zero_point;
    switch (p.rounding) {
        case ProductRounding::kHalfAway: return rules::d2(sum, m) + zero;
        case ProductRounding::kHalfUp: return rules::d2_up(sum, m) + zero;
        case ProductRounding::kOnce: return rules::d1(sum, m) + zero;
        case ProductRounding::kReal: return rules::f32(sum, p.real[c], zero);
        default: return rules::f32_zero_first(sum, p.real[c], zero);
    }
}

TEST(RequantizeSumsKernel, EqualsTheRulesOnEveryTarget) {
    test::on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 200; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            const Problem p = random_problem(rng);
            const std::size_t channels = p.bias.size();
            const SumColumns columns(p.rounding, p.bias, p.fixed, p.real);
            std::vector<float> src(channels * (1 + rng() % 40));
            for (float& x : src) {
                const int sum = static_cast<int>(rng() % (1U << 25)) - (1 << 24);
                x = static_cast<float>(std::clamp(sum, -16776000, 16776000) >> rng() % 24);
            }
            std::vector<std::uint8_t> dst(src.size() + 1, 0xA5);
            const std::size_t cut = rng() % (src.size() + 1);
            requantize_sums(columns, p.grid, src.data(), dst.data(), {cut, src.size()});
            requantize_sums(columns, p.grid, src.data(), dst.data(), {0, cut});
            for (std::size_t i = 0; i < src.size(); ++i) {
                const std::int64_t want = std::clamp<std::int64_t>(
                    expected(p, i % channels, static_cast<std::int32_t>(src[i])), p.grid.lowest,
                    p.grid.highest);
                ASSERT_EQ(dst[i], static_cast<std::uint8_t>(want)) << "element " << i;
            }
            ASSERT_EQ(dst.back(), 0xA5);
        }
    });
}

// (7984, 1583594044, -9) and (-33343, 1764230389, -9) of SEEDS.md, section 2.
TEST(RequantizeSumsKernel, HasTheVectorsOfTheRules) {
    const FixedMultiplier multipliers[] = {{1583594044, -9}, {1764230389, -9}};
    const std::int32_t bias[] = {0, 0};
    const float sums[] = {7984.0F, -33343.0F};
    test::on_every_target([&](const std::string&) {
        const auto run = [&](ProductRounding rounding, std::int8_t dst[2]) {
            const SumColumns columns(rounding, bias, multipliers, {});
            requantize_sums(columns, {0, -128, 127}, sums, dst, {0, 2});
        };
        std::int8_t dst[2] = {};
        run(ProductRounding::kHalfAway, dst);
        EXPECT_EQ(dst[0], 12);
        EXPECT_EQ(dst[1], -54);
        run(ProductRounding::kHalfUp, dst);
        EXPECT_EQ(dst[0], 12);
        EXPECT_EQ(dst[1], -53);
    });
}

// A bias of 2^29 - 2^24 beside the largest sum.
TEST(RequantizeSumsKernel, HasBiasesThatFloatsDoNotHold) {
    const FixedMultiplier multiplier[] = {{1583594044, -22}};
    const float real[] = {1.75e-7F};
    const std::int32_t bias[] = {(1 << 29) - (1 << 24) - 1};
    const float sum[] = {1 << 24};
    test::on_every_target([&](const std::string&) {
        std::int8_t dst = 0;
        const std::int32_t x = bias[0] + (1 << 24);
        requantize_sums(SumColumns(ProductRounding::kHalfAway, bias, multiplier, {}),
                        {0, -128, 127}, sum, &dst, {0, 1});
        EXPECT_EQ(dst, rules::d2(x, {1583594044, -22}));
        requantize_sums(SumColumns(ProductRounding::kReal, bias, {}, real), {0, -128, 127}, sum,
                        &dst, {0, 1});
        EXPECT_EQ(dst, rules::f32(x, real[0], 0));
    });
}

// What TFLite's converter writes for channels whose weights are all 0: a bias of about 2^30, with
// multipliers down to the smallest.
TEST(RequantizeSumsKernel, HasTheBiasesOfDeadChannels) {
    constexpr int kExponents[] = {-1, -2, -24, -27, -30, -31};
    std::vector<std::int32_t> bias;
    std::vector<FixedMultiplier> fixed;
    for (const int exponent : kExponents) {
        for (const std::int32_t mantissa : {1 << 30, 1583594044, 2147483647}) {
            for (const std::int32_t value : {1073741952, -1073741952, 1 << 30, 2130706431}) {
                bias.insert(bias.end(), {value, -value});
                fixed.insert(fixed.end(), 2, {mantissa, exponent});
            }
        }
    }
    const std::vector<float> sums(bias.size(), 0.0F);
    test::on_every_target([&](const std::string&) {
        for (const auto rounding : {ProductRounding::kHalfAway, ProductRounding::kHalfUp}) {
            std::vector<std::int8_t> dst(bias.size());
            requantize_sums(SumColumns(rounding, bias, fixed, {}), {5, -128, 127}, sums.data(),
                            dst.data(), {0, bias.size()});
            for (std::size_t c = 0; c < bias.size(); ++c) {
                const rules::QuantizedMultiplier m{fixed[c].mantissa, fixed[c].exponent};
                const std::int64_t value = rounding == ProductRounding::kHalfUp
                                               ? rules::d2_up(bias[c], m)
                                               : rules::d2(bias[c], m);
                EXPECT_EQ(dst[c], std::clamp<std::int64_t>(value + 5, -128, 127))
                    << bias[c] << " by " << m.mantissa << ", " << m.exponent;
            }
        }
    });
}

// Of the sums at which bytes change, and of others, with the short ways that the rounding finds.
TEST(RequantizeSumsKernel, RoundsTilesByTheRulesOnEveryTarget) {
    int floored = 0;
    test::on_every_target([&](const std::string&) {
        for (unsigned seed = 0; seed < 150; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            const Problem p = random_problem(rng);
            const std::size_t channels = p.bias.size();
            const SumRounding rounding(SumColumns(p.rounding, p.bias, p.fixed, p.real), p.grid,
                                       p.type, "rule");
            const auto own = rounding.by_rule();
            floored += own && own->rule == RuleForm::kFloor ? 1 : 0;
            const std::size_t first = channels / 2 / 16 * 16;
            SumTile<std::int32_t> tile{.step = (channels + 15) / 16 * 16 + 16,
                                       .pixels = 1 + rng() % 40,
                                       .channel = first,
                                       .channels = channels - first,
                                       .dst_step = channels + 3};
            std::vector<std::int32_t> sums(tile.step * tile.pixels);
            for (std::size_t i = 0; i < sums.size(); ++i) {
                const std::size_t c = std::min(first + i % tile.step, channels - 1);
                const int byte = static_cast<int>(rng() % 260) - 130 - p.grid.zero_point;
                const double near = (byte + 0.5) / static_cast<double>(p.real[c]);
                const int other = static_cast<int>(rng() % (1U << 25)) - (1 << 24);
                const double sum = rng() % 4 != 0 ? near - p.bias[c] : other;
                sums[i] = static_cast<std::int32_t>(std::clamp(std::floor(sum), -0x1p24, 0x1p24)) -
                          static_cast<int>(sum > 0 ? rng() % 2 : 0);
            }
            std::vector<std::uint8_t> dst(tile.dst_step * tile.pixels, 0xA5);
            tile.sums = sums.data();
            tile.dst = dst.data();
            rounding.run(tile);
            for (std::size_t i = 0; i < dst.size(); ++i) {
                const std::size_t c = i % tile.dst_step;
                if (c >= tile.channels) {
                    ASSERT_EQ(dst[i], 0xA5) << "element " << i;
                    continue;
                }
                const std::int32_t sum = sums[i / tile.dst_step * tile.step + c];
                const auto want = std::clamp<std::int64_t>(expected(p, first + c, sum),
                                                           p.grid.lowest, p.grid.highest);
                ASSERT_EQ(dst[i], static_cast<std::uint8_t>(want)) << "sum " << sum;
            }
        }
    });
    EXPECT_GT(floored, 0);
}

TEST(RequantizeSumsKernel, TakesWhat32BitsHold) {
    EXPECT_TRUE(takes_multiplier({1 << 30, 6}, 1 << 24));
    EXPECT_FALSE(takes_multiplier({1 << 30, 7}, 1 << 24));
    EXPECT_TRUE(takes_multiplier({1 << 30, 0}, 1 << 30));
    EXPECT_FALSE(takes_multiplier({1 << 30, 0}, (1 << 30) + 1));
    EXPECT_TRUE(takes_multiplier({1 << 30, -1}, 2147483647));
    EXPECT_FALSE(takes_multiplier({1 << 30, -1}, 2147483648));
    EXPECT_TRUE(takes_multiplier({1 << 30, -31}, 1));
    EXPECT_FALSE(takes_multiplier({1 << 30, -32}, 1));
    EXPECT_TRUE(takes_multiplier({0, 0}, 2147483647));
    EXPECT_FALSE(takes_multiplier({0, 0}, 2147483648));
}

}  // namespace
}  // namespace fuseq::kernels
