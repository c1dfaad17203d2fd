// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// With the roundings of the processor, as kernels use them, against the rules in arithmetic of 128
// bits.
#include "cpu/kernels/eltwise/floored_rounding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <random>

#include "unit/cpu/kernels/eltwise/sum_rules.hpp"

namespace fuseq::kernels {
namespace {

// volatile: the compiler does not know that the rounding changes.
std::int64_t byte_of(const SumRule& rule, const FloorRounding& way, std::int64_t sum) {
    volatile auto x = static_cast<float>(sum + way.offset);
    volatile float scale = way.scale;
    volatile float rest = way.rest;
    volatile float begin = x < 0.0F ? way.below : way.shift;
    std::fesetround(FE_DOWNWARD);
    volatile float low = std::fma(x, rest, begin);
    volatile float value = std::fma(x, scale, low);
    std::fesetround(FE_TONEAREST);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(value)), rule.grid.lowest,
                                    rule.grid.highest);
}

void expect_same(const SumRule& rule, const FloorRounding& way) {
    expect_same(rule, [&](std::int64_t sum) { return byte_of(rule, way, sum); });
}

TEST(FlooredWay, HasEveryStepOfTheRule) {
    constexpr unsigned kRules = 100;
    for (const auto rounding :
         {ProductRounding::kHalfAway, ProductRounding::kHalfUp, ProductRounding::kOnce,
          ProductRounding::kReal, ProductRounding::kRealZeroFirst}) {
        int found = 0;
        int split = 0;
        for (unsigned seed = 0; seed < kRules; ++seed) {
            SCOPED_TRACE(testing::Message() << "seed " << seed);
            std::mt19937 rng(seed);
            const SumRule rule = random_rule(rng, rounding);
            if (const auto way = floored_way(rule)) {
                ++found;
                split += way->is_split() ? 1 : 0;
                expect_same(rule, *way);
            }
        }
        constexpr int kNearlyAll = 90;
        EXPECT_GT(found, kNearlyAll) << "rounding " << static_cast<int>(rounding);
        // Halves away from zero are one line where a relu leaves one side, half of the rules here.
        constexpr int kTwoSided = 30;
        if (rounding == ProductRounding::kHalfAway) {
            EXPECT_GT(split, kTwoSided);
        } else {
            EXPECT_EQ(split, 0) << "rounding " << static_cast<int>(rounding);
        }
    }
}

// Among them many without another short way; every sum of a rule, also away from the steps.
TEST(FlooredWay, HasSmallMultipliersWithLargeBiases) {
    constexpr unsigned kRules = 300;
    unsigned found = 0;
    unsigned moved = 0;
    for (unsigned seed = 0; seed < kRules; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        const SumRule rule = small_rule(seed);
        const auto way = floored_way(rule);
        if (!way) {
            continue;
        }
        ++found;
        moved += way->offset != 0 ? 1 : 0;
        EXPECT_GE(way->rest, 0.0F);
        if (seed < kRules / 10) {
            for (std::int64_t sum = rule.min; sum <= rule.max; ++sum) {
                ASSERT_EQ(byte_of(rule, *way, sum), by_definition(rule, sum)) << "sum " << sum;
            }
        } else {
            expect_same(rule, *way);
        }
    }
    EXPECT_GT(found, kRules * 99 / 100);
    EXPECT_GT(moved, 0U);
}

// Half away from zero on both sides of it moves one side by a sum.
TEST(FlooredWay, OfHalvesAwayFromZeroIsTwoLines) {
    SumRule rule{.rounding = ProductRounding::kHalfAway,
                 .bias = 1000,
                 .fixed = {1583594044, -7},
                 .grid = {3, -128, 127}};
    const auto two = floored_way(rule);
    ASSERT_TRUE(two);
    EXPECT_LT(two->below, two->shift);
    EXPECT_EQ(two->offset, 1000);
    expect_same(rule, *two);
    rule.grid.lowest = 3;
    const auto one = floored_way(rule);
    ASSERT_TRUE(one);
    EXPECT_FALSE(one->is_split());
    expect_same(rule, *one);
}

// Also where floats of one sum and the next are far apart, and where sums have one sign.
TEST(FlooredWay, OfTwoLinesIsWithinTheIntegersOfFloats) {
    for (const std::int32_t bias : {0, 1 << 20, -(1 << 20), 1 << 24, (1 << 24) + 1}) {
        SCOPED_TRACE(bias);
        SumRule rule{.rounding = ProductRounding::kHalfAway,
                     .bias = bias,
                     .fixed = {1583594044, -14},
                     .grid = {-7, -128, 127}};
        rule.min = std::max<std::int64_t>(-kMaxFloatSum, -kMaxFloatSum - bias);
        rule.max = std::min<std::int64_t>(kMaxFloatSum, kMaxFloatSum - bias);
        const auto way = floored_way(rule);
        if (bias > kMaxFloatSum) {
            EXPECT_FALSE(way && way->is_split());
            continue;
        }
        ASSERT_TRUE(way);
        expect_same(rule, *way);
    }
}

// Of depthwise layers: bounded sums, which have a float for nearly all multipliers.
TEST(OneFloorWay, HasEveryStepWithOneMultiplyAdd) {
    constexpr unsigned kRules = 300;
    unsigned found = 0;
    for (unsigned seed = 0; seed < kRules; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937 rng(seed);
        SumRule rule = random_rule(rng, kFixed[seed % 3]);
        rule.grid.lowest = rule.grid.zero_point;
        rule.min = -static_cast<std::int64_t>(rng() % (9 * 127 * 255));
        rule.max = static_cast<std::int64_t>(rng() % (9 * 127 * 255));
        const auto way = one_floor_way(rule);
        if (!way) {
            continue;
        }
        ++found;
        EXPECT_EQ(way->rest, 0.0F);
        EXPECT_FALSE(way->is_split());
        expect_same(rule, *way);
        for (std::int64_t sum = rule.min; seed < kRules / 15 && sum <= rule.max; ++sum) {
            ASSERT_EQ(byte_of(rule, *way, sum), by_definition(rule, sum)) << "sum " << sum;
        }
    }
    EXPECT_GT(found, kRules * 9 / 10);
}

// Sums that reach all bytes by a small multiplier leave floats of the scale too few.
TEST(OneFloorWay, IsMissingForSomeSmallMultipliers) {
    constexpr unsigned kRules = 300;
    unsigned found = 0;
    for (unsigned seed = 0; seed < kRules; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        const SumRule rule = small_rule(seed);
        if (const auto way = one_floor_way(rule)) {
            ++found;
            expect_same(rule, *way);
        }
    }
    EXPECT_GT(found, kRules / 4);
    EXPECT_LT(found, kRules);
}

TEST(OneFloorWay, OfHalvesAwayFromZeroWantsARelu) {
    SumRule rule{.rounding = ProductRounding::kHalfAway,
                 .bias = 1000,
                 .fixed = {1583594044, -7},
                 .grid = {3, -128, 127}};
    EXPECT_FALSE(one_floor_way(rule));
    rule.grid.lowest = 3;
    const auto way = one_floor_way(rule);
    ASSERT_TRUE(way);
    expect_same(rule, *way);
}

TEST(FlooredWay, OfAChannelWithOneByteIsAConstant) {
    const SumRule dead{.rounding = ProductRounding::kHalfAway, .grid = {-5, -128, 127}};
    const auto way = floored_way(dead);
    ASSERT_TRUE(way);
    EXPECT_EQ(way->scale, 0.0F);
    expect_same(dead, *way);
}

TEST(FlooredWay, IsNotForMultipliersAbove1) {
    EXPECT_FALSE(floored_way(
        {.rounding = ProductRounding::kOnce, .fixed = {1583594044, 3}, .grid = {0, -128, 127}}));
}

}  // namespace
}  // namespace fuseq::kernels
