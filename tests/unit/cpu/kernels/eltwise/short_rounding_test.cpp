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

#include "unit/cpu/kernels/eltwise/sum_rules.hpp"

namespace fuseq::kernels {
namespace {

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

std::int64_t byte_of(const SumRule& rule, float v) {
    return std::clamp<std::int64_t>(std::lrint(v), rule.grid.lowest, rule.grid.highest);
}

void expect_same(const SumRule& rule, const ShortWays& ways) {
    if (const auto& way = ways.fused) {
        SCOPED_TRACE("fused");
        expect_same(rule, [&](std::int64_t sum) {
            return byte_of(rule, std::fma(static_cast<float>(sum), way->scale, way->shift));
        });
    }
    if (const auto& way = ways.bias_first) {
        SCOPED_TRACE("bias first");
        expect_same(rule, [&](std::int64_t sum) {
            const float biased = static_cast<float>(sum) + way->shift;
            return byte_of(rule, biased * way->scale);
        });
    }
    if (const auto& way = ways.split) {
        SCOPED_TRACE("split");
        expect_same(rule, [&](std::int64_t sum) {
            const auto x = static_cast<float>(sum);
            return byte_of(rule, std::fma(x, way->scale, x < way->at ? way->below : way->shift));
        });
    }
}

TEST(ShortRounding, HasEveryStepOfTheRule) {
    int found = 0;
    int split = 0;
    for (const auto rounding :
         {ProductRounding::kHalfAway, ProductRounding::kHalfUp, ProductRounding::kOnce,
          ProductRounding::kReal, ProductRounding::kRealZeroFirst}) {
        for (unsigned seed = 0; seed < 100; ++seed) {
            SCOPED_TRACE(testing::Message() << "seed " << seed);
            std::mt19937 rng(seed);
            const SumRule rule = random_rule(rng, rounding);
            const ShortWays ways = short_ways(rule);
            found += (ways.fused ? 1 : 0) + (ways.bias_first ? 1 : 0);
            split += ways.split ? 1 : 0;
            expect_same(rule, ways);
        }
    }
    EXPECT_GT(found, 400);
    EXPECT_GT(split, 20);
}

// Sums that reach a part of the bytes have fewer steps: multipliers may be smaller.
TEST(ShortRounding, HasTheStepsThatSumsWithinBoundsReach) {
    constexpr int kRules = 300;
    int found = 0;
    for (unsigned seed = 0; seed < kRules; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937 rng(seed);
        SumRule rule = random_rule(rng, kFixed[seed % 3]);
        rule.fixed.exponent = -static_cast<int>(rng() % 20);
        rule.min = -static_cast<std::int64_t>(rng() % 20000);
        rule.max = static_cast<std::int64_t>(rng() % 20000);
        const ShortWays ways = short_ways(rule);
        found += ways.fused || ways.split ? 1 : 0;
        expect_same(rule, ways);
    }
    EXPECT_GT(found, kRules * 9 / 10);
}

TEST(MovedWay, HasEveryStepOfTheRule) {
    constexpr unsigned kRules = 400;
    int fused = 0;
    int moved = 0;
    for (unsigned seed = 0; seed < kRules; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        const SumRule rule = small_rule(seed);
        fused += short_ways(rule).fused ? 1 : 0;
        const auto found = moved_way(rule);
        if (!found) {
            continue;
        }
        ++moved;
        const auto byte = [&](std::int64_t sum) {
            const auto x = static_cast<float>(sum + found->offset);
            return byte_of(rule, std::fma(x, found->way.scale, found->way.shift));
        };
        expect_same(rule, byte);
        for (std::int64_t sum = rule.min; sum <= rule.max; ++sum) {
            ASSERT_EQ(byte(sum), by_definition(rule, sum)) << "sum " << sum;
        }
    }
    EXPECT_GT(moved, fused + static_cast<int>(kRules / 10)) << fused << " without an offset";
}

TEST(MovedWay, KeepsWithinTheIntegersOfFloats) {
    const SumRule far{.rounding = ProductRounding::kOnce,
                      .bias = 1 << 25,
                      .fixed = {1583594044, -9},
                      .grid = {0, -128, 127}};
    EXPECT_FALSE(moved_way(far));
    SumRule large{.rounding = ProductRounding::kOnce, .fixed = {1583594044, 3}};
    EXPECT_FALSE(moved_way(large)) << "a multiplier above 1";
    large.fixed = {1583594044, -31};
    EXPECT_FALSE(moved_way(large)) << "a multiplier of which floats have no step";
}

// Multipliers of usual layers, where a relu leaves one slope.
TEST(ShortRounding, IsFoundForMultipliersFrom1Over128) {
    std::mt19937 rng(2);
    for (int i = 0; i < 300; ++i) {
        SumRule rule = random_rule(rng, kFixed[i % 3]);
        rule.fixed.exponent = -static_cast<int>(rng() % 7);
        rule.grid = {-128, -128, 127};
        const ShortWays ways = short_ways(rule);
        ASSERT_TRUE(ways.fused) << "seed 2, " << i;
        ASSERT_TRUE(ways.bias_first) << "seed 2, " << i;
    }
}

TEST(ShortRounding, OfAChannelWithOneByteIsAConstant) {
    const SumRule dead{.rounding = ProductRounding::kHalfAway, .grid = {-5, -128, 127}};
    const ShortWays ways = short_ways(dead);
    ASSERT_TRUE(ways.fused);
    EXPECT_EQ(ways.fused->scale, 0.0F);
    EXPECT_EQ(ways.fused->shift, -5.0F);
    expect_same(dead, ways);
}

// Half away from zero on both sides of it moves one side by a sum: no line has both, two have.
TEST(ShortRounding, OfHalvesAwayFromZeroIsTwoLines) {
    const SumRule rule{
        .rounding = ProductRounding::kHalfAway, .fixed = {1583594044, -7}, .grid = {0, -128, 127}};
    const ShortWays ways = short_ways(rule);
    EXPECT_FALSE(ways.fused);
    EXPECT_FALSE(ways.bias_first);
    ASSERT_TRUE(ways.split);
    EXPECT_LT(ways.split->below, ways.split->shift);
    expect_same(rule, ways);
}

}  // namespace
}  // namespace fuseq::kernels
