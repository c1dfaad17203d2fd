// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// With the roundings of the processor, as kernels use them, against the rules in arithmetic of 128
// bits.
#include "cpu/kernels/eltwise/mirrored_rounding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <random>

#include "unit/cpu/kernels/eltwise/sum_rules.hpp"

namespace fuseq::kernels {
namespace {

// volatile: the compiler does not know that the rounding changes.
std::int64_t byte_of(const SumRule& rule, const MirroredRounding& way, std::int64_t sum) {
    volatile auto x = static_cast<float>(sum + way.offset);
    volatile float scale = way.scale;
    volatile float shift = std::copysign(way.shift, x);
    std::fesetround(FE_TOWARDZERO);
    volatile float value = std::fma(x, scale, shift);
    std::fesetround(FE_TONEAREST);
    const auto integer = static_cast<std::int64_t>(std::trunc(value)) + rule.grid.zero_point;
    return std::clamp<std::int64_t>(integer, rule.grid.lowest, rule.grid.highest);
}

// Also at the steps of the definition, which are found by halving: both rise.
void expect_same(const SumRule& rule, const MirroredRounding& way) {
    expect_same(rule, [&](std::int64_t sum) {
        EXPECT_EQ(round_sum(rule, sum), by_definition(rule, sum)) << "sum " << sum;
        return byte_of(rule, way, sum);
    });
}

SumRule random_layer_rule(std::mt19937& rng) {
    SumRule rule = random_rule(rng, ProductRounding::kHalfAway);
    const auto reach = static_cast<std::int64_t>(1 + rng() % (9 * 127 * 255));
    rule.min = -reach;
    rule.max = static_cast<std::int64_t>(rng() % (9 * 127 * 255));
    return rule;
}

TEST(MirroredWay, HasEveryStepOfHalvesAwayFromZero) {
    constexpr unsigned kRules = 400;
    unsigned found = 0;
    for (unsigned seed = 0; seed < kRules; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937 rng(seed);
        const SumRule rule = random_layer_rule(rng);
        if (const auto way = mirrored_way(rule)) {
            ++found;
            EXPECT_GE(way->shift, 0.0F);
            expect_same(rule, *way);
        }
    }
    EXPECT_GT(found, kRules * 9 / 10);
}

// Every sum, also away from the steps, for the multipliers of depthwise layers.
TEST(MirroredWay, HasEverySum) {
    for (unsigned seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937 rng(seed);
        SumRule rule = random_layer_rule(rng);
        rule.fixed.exponent = -4 - static_cast<int>(seed % 4);
        const auto way = mirrored_way(rule);
        ASSERT_TRUE(way);
        for (std::int64_t sum = rule.min; sum <= rule.max; ++sum) {
            ASSERT_EQ(byte_of(rule, *way, sum), by_definition(rule, sum)) << "sum " << sum;
        }
    }
}

// 5 * 0.7374 is 4 by the first rounding, and 4 / 8 is a half. Where products are halves, the first
// rounding goes up on both sides of 0.
TEST(MirroredWay, TakesTiesAwayFromZero) {
    SumRule rule{.rounding = ProductRounding::kHalfAway,
                 .bias = 3,
                 .fixed = {1583594044, -3},
                 .grid = {3, -128, 127},
                 .min = -1000,
                 .max = 1000};
    const auto way = mirrored_way(rule);
    ASSERT_TRUE(way);
    EXPECT_EQ(byte_of(rule, *way, 2), 3 + 1);
    EXPECT_EQ(byte_of(rule, *way, -8), 3 - 1);
    expect_same(rule, *way);
    rule.fixed.mantissa = 1 << 30;
    EXPECT_FALSE(mirrored_way(rule));
}

TEST(MirroredWay, OfAChannelWithOneByteIsAConstant) {
    for (const std::int32_t bias : {-90000, 0, 90000}) {
        SCOPED_TRACE(bias);
        const SumRule rule{.rounding = ProductRounding::kHalfAway,
                           .bias = bias,
                           .fixed = {1583594044, -8},
                           .grid = {-5, -128, 127},
                           .min = -20,
                           .max = 20};
        const auto way = mirrored_way(rule);
        ASSERT_TRUE(way);
        EXPECT_EQ(way->scale, 0.0F);
        expect_same(rule, *way);
    }
}

TEST(MirroredWay, IsNotForOtherRoundingsNorMultipliersAbove1) {
    SumRule rule{.rounding = ProductRounding::kHalfAway,
                 .fixed = {1583594044, 3},
                 .grid = {0, -128, 127},
                 .min = -1000,
                 .max = 1000};
    EXPECT_FALSE(mirrored_way(rule));
    rule.fixed.exponent = -3;
    EXPECT_TRUE(mirrored_way(rule));
    for (const auto rounding : {ProductRounding::kHalfUp, ProductRounding::kOnce}) {
        rule.rounding = rounding;
        EXPECT_FALSE(mirrored_way(rule));
    }
}

}  // namespace
}  // namespace fuseq::kernels
