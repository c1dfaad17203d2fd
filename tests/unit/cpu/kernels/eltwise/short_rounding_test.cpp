// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Against the rules in arithmetic of 128 bits, at every sum where a byte of the rule or of the short
// way changes.
#include "cpu/kernels/eltwise/short_rounding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace fuseq::kernels {
namespace {

using Int128 = __int128;

Int128 floor_shift(Int128 value, int shift) {
    const Int128 unit = Int128{1} << shift;
    const Int128 quotient = value / unit;
    return quotient - (value % unit < 0 ? 1 : 0);
}

std::int64_t by_definition(const SumRule& rule, std::int64_t sum) {
    const Int128 x = Int128{sum} + rule.bias;
    const int right = std::max(-rule.fixed.exponent, 0);
    const Int128 product = (x << std::max(rule.fixed.exponent, 0)) * rule.fixed.mantissa;
    const Int128 half = right == 0 ? 0 : Int128{1} << (right - 1);
    const Int128 high = floor_shift(product + (Int128{1} << 30), 31);
    Int128 value = 0;
    switch (rule.rounding) {
        case ProductRounding::kOnce:
            value = floor_shift(product + (Int128{1} << (30 + right)), 31 + right);
            break;
        case ProductRounding::kHalfUp: value = floor_shift(high + half, right); break;
        default:
            value = high < 0 ? -floor_shift(-high + half, right) : floor_shift(high + half, right);
            break;
    }
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(value) + rule.grid.zero_point,
                                    rule.grid.lowest, rule.grid.highest);
}

SumRule random_rule(std::mt19937& rng, ProductRounding rounding) {
    SumRule rule{.rounding = rounding, .bias = static_cast<int>(rng() % 20001) - 10000};
    rule.fixed = {static_cast<std::int32_t>((1U << 30) + rng() % (1U << 30)),
                  -static_cast<int>(rng() % 11)};
    rule.real = std::ldexp(static_cast<float>(rule.fixed.mantissa), rule.fixed.exponent - 31);
    rule.grid = {static_cast<int>(rng() % 256) - 128, -128, 127};
    if (rng() % 2 == 0) {
        rule.grid.lowest = rule.grid.zero_point;  // a relu
    }
    return rule;
}

constexpr ProductRounding kFixed[] = {ProductRounding::kHalfAway, ProductRounding::kHalfUp,
                                      ProductRounding::kOnce};

TEST(RoundSum, IsTheRuleOf128Bits) {
    std::mt19937 rng(1);
    for (int i = 0; i < 200000; ++i) {
        const SumRule rule = random_rule(rng, kFixed[i % 3]);
        const std::int64_t sum =
            (static_cast<std::int64_t>(rng() % (1U << 25)) - (1 << 24)) >> rng() % 20;
        ASSERT_EQ(round_sum(rule, sum), by_definition(rule, sum))
            << "seed 1, " << i << ": sum " << sum << " by " << rule.fixed.mantissa << ", "
            << rule.fixed.exponent;
    }
}

std::int64_t short_byte(const SumRule& rule, const ShortRounding& way, std::int64_t sum) {
    const float v = std::fma(static_cast<float>(sum), way.scale, way.shift);
    return std::clamp<std::int64_t>(std::lrint(v), rule.grid.lowest, rule.grid.highest);
}

// Both rise with the sum: the same function if the bytes at the ends, and where they change, are.
void expect_same(const SumRule& rule, const ShortRounding& way) {
    for (std::int64_t at = -kMaxFloatSum; at < kMaxFloatSum;) {
        const std::int64_t byte = round_sum(rule, at);
        ASSERT_EQ(short_byte(rule, way, at), byte) << "sum " << at;
        std::int64_t low = at;
        std::int64_t high = kMaxFloatSum;  // the last sum of the byte is from low to high
        while (low < high) {
            const std::int64_t middle = low + (high - low + 1) / 2;
            (round_sum(rule, middle) == byte ? low : high) =
                round_sum(rule, middle) == byte ? middle : middle - 1;
        }
        ASSERT_EQ(short_byte(rule, way, low), byte) << "sum " << low;
        at = low + 1;
    }
}

TEST(ShortRounding, HasEveryStepOfTheRule) {
    int found = 0;
    for (const auto rounding :
         {ProductRounding::kHalfAway, ProductRounding::kHalfUp, ProductRounding::kOnce,
          ProductRounding::kReal, ProductRounding::kRealZeroFirst}) {
        for (unsigned seed = 0; seed < 100; ++seed) {
            SCOPED_TRACE(testing::Message() << "seed " << seed);
            std::mt19937 rng(seed);
            const SumRule rule = random_rule(rng, rounding);
            if (const auto way = short_rounding(rule)) {
                ++found;
                expect_same(rule, *way);
            }
        }
    }
    EXPECT_GT(found, 200);
}

// Multipliers of usual layers, where a relu leaves one slope.
TEST(ShortRounding, IsFoundForMultipliersFrom1Over128) {
    std::mt19937 rng(2);
    for (int i = 0; i < 300; ++i) {
        SumRule rule = random_rule(rng, kFixed[i % 3]);
        rule.fixed.exponent = -static_cast<int>(rng() % 7);
        rule.grid = {-128, -128, 127};
        ASSERT_TRUE(short_rounding(rule)) << "seed 2, " << i;
    }
}

TEST(ShortRounding, OfAChannelWithOneByteIsAConstant) {
    const SumRule dead{.rounding = ProductRounding::kHalfAway, .grid = {-5, -128, 127}};
    const auto way = short_rounding(dead);
    ASSERT_TRUE(way);
    EXPECT_EQ(way->scale, 0.0F);
    EXPECT_EQ(way->shift, -5.0F);
}

// Half away from zero on both sides of it moves one side by a sum: no line has both.
TEST(ShortRounding, IsNotFoundForTwoSlopes) {
    const SumRule rule{
        .rounding = ProductRounding::kHalfAway, .fixed = {1583594044, -9}, .grid = {0, -128, 127}};
    EXPECT_FALSE(short_rounding(rule));
}

}  // namespace
}  // namespace fuseq::kernels
