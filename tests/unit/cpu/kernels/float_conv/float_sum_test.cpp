// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/float_conv/float_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using fuseq::test::on_every_target;

int to_byte(float v, bool is_signed) {
    const float low = is_signed ? -128.0f : 0.0f;
    return static_cast<int>(std::clamp(std::nearbyint(v), low, low + 255.0f));
}

int long_way(const ByteRule& rule, std::int64_t x) {
    const auto v = static_cast<float>(x);
    if (!rule.bias_first) {
        const float value = std::fma(v, rule.scale, rule.bias);
        return to_byte(rule.relus ? std::max(value, 0.0f) + rule.after : value, rule.is_signed);
    }
    const float sum = v + rule.bias;
    float value = sum * rule.scale;
    if (rule.clips) {
        value = std::min(std::max(value, rule.low), rule.high) * rule.factor;
    }
    return to_byte(value, rule.is_signed);
}

int short_way(const FloatSum& sum, std::int64_t x, bool is_signed) {
    const auto v = std::bit_cast<float>(static_cast<std::int32_t>(sum.begin + x));
    return to_byte(std::fma(v, sum.scale, sum.shift), is_signed);
}

std::int64_t differences(const ByteRule& rule, const FloatSum& sum) {
    std::int64_t wrong = 0;
    for (std::int64_t x = rule.min; x <= rule.max; ++x) {
        const int byte =
            std::clamp(short_way(sum, x, rule.is_signed), bottom_byte(rule), top_byte(rule));
        wrong += byte == long_way(rule, x) ? 0 : 1;
    }
    return wrong;
}

class FloatSumTest : public testing::Test {
protected:
    void SetUp() override {
        if ((hwy::SupportedTargets() & (HWY_AVX2 | HWY_AVX3)) == 0) {
            GTEST_SKIP() << "this machine has no fused multiply-add";
        }
    }
};

// What is found, which is the same on every target with fused multiply-adds.
std::optional<FloatSum> found_sum(const ByteRule& rule) {
    const auto sum = float_sum(rule);
    on_every_target([&](const std::string& target) {
        const auto again = float_sum(rule);
        ASSERT_EQ(again.has_value(), sum.has_value() && target != "SSE4");
        if (again) {
            EXPECT_EQ(again->begin, sum->begin);
            EXPECT_EQ(again->scale, sum->scale);
            EXPECT_EQ(again->shift, sum->shift);
        }
    });
    return sum;
}

TEST_F(FloatSumTest, WorkedExample) {
    // Halves go to the even side: 1 -> 0, 2 -> 1, 3 -> 2 (1.5), 5 -> 2 (2.5), -1 -> 0.
    const ByteRule rule{.scale = 0.5f, .min = -100, .max = 1000};
    const auto sum = found_sum(rule);
    ASSERT_TRUE(sum);
    const std::pair<int, int> cases[] = {
        {-1, 0},    {0, 0},     {1, 0},     {2, 1},     {3, 2},      {5, 2},   {7, 4},
        {509, 254}, {510, 255}, {511, 255}, {512, 255}, {1000, 255}, {-100, 0}};
    for (const auto& [x, byte] : cases) {
        EXPECT_EQ(short_way(*sum, x, false), byte) << x;
    }
}

// Every x of every rule.
TEST_F(FloatSumTest, GivesTheBytesOfTheLongWay) {
    int found[2] = {};
    for (unsigned seed = 0; seed < 120; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937 rng(seed);
        std::uniform_real_distribution<float> unit(0.0f, 1.0f);
        const float range = std::exp2(5.0f + 14.0f * unit(rng));  // of x, over all bytes
        ByteRule rule{.scale = 255.0f / range,
                      .bias_first = rng() % 2 == 0,
                      .is_signed = rng() % 2 == 0,
                      .min = -static_cast<std::int64_t>(range * unit(rng)),
                      .max = static_cast<std::int64_t>(range * unit(rng))};
        rule.bias = (unit(rng) - 0.5f) * (rule.bias_first ? range : 255.0f);
        if (const auto sum = found_sum(rule)) {
            ++found[rule.bias_first ? 1 : 0];
            EXPECT_EQ(differences(rule, *sum), 0);
        }
    }
    EXPECT_GT(found[0], 50);
    EXPECT_GT(found[1], 40);  // two roundings leave no room where x has 18 bits or more
}

// A relu6, and the scale of one channel after it: the largest byte may be less than 255.
TEST_F(FloatSumTest, ClipsAndScales) {
    int found = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937 rng(seed);
        std::uniform_real_distribution<float> unit(0.0f, 1.0f);
        const float range = std::exp2(6.0f + 11.0f * unit(rng));
        ByteRule rule{.scale = 6.0f / range,
                      .bias = (unit(rng) - 0.5f) * range,
                      .bias_first = true,
                      .min = -static_cast<std::int64_t>(range * unit(rng)),
                      .max = static_cast<std::int64_t>(2 * range * unit(rng)),
                      .clips = true,
                      .low = 0.0f,
                      .high = 6.0f,
                      .factor = 10.0f + 50.0f * unit(rng)};
        if (const auto sum = found_sum(rule)) {
            ++found;
            EXPECT_EQ(differences(rule, *sum), 0);
        }
    }
    EXPECT_GT(found, 40);
}

// A relu, and a zero point after it: the least byte may be above the type's.
TEST_F(FloatSumTest, RelusAndShifts) {
    int found = 0;
    for (unsigned seed = 0; seed < 80; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937 rng(seed);
        std::uniform_real_distribution<float> unit(0.0f, 1.0f);
        const float range = std::exp2(6.0f + 11.0f * unit(rng));
        ByteRule rule{.scale = 255.0f / range,
                      .bias = (unit(rng) - 0.5f) * 255.0f,
                      .is_signed = rng() % 2 == 0,
                      .min = -static_cast<std::int64_t>(range * unit(rng)),
                      .max = static_cast<std::int64_t>(2 * range * unit(rng)),
                      .relus = true,
                      .after = (unit(rng) - 0.6f) * 260.0f};
        if (const auto sum = found_sum(rule)) {
            ++found;
            EXPECT_EQ(differences(rule, *sum), 0);
        }
    }
    EXPECT_GT(found, 50);
    EXPECT_EQ(bottom_byte({.is_signed = true, .relus = true, .after = -200.0f}), -128);
    EXPECT_EQ(bottom_byte({.is_signed = true, .relus = true, .after = -11.5f}), -12);
    EXPECT_EQ(bottom_byte({.relus = true, .after = -3.0f}), 0);
    EXPECT_EQ(bottom_byte({.is_signed = true}), -128);
}

// Rules of layers for which only slopes one or two units of the last place away have the places.
TEST_F(FloatSumTest, SlopesBesideTheProductOfScales) {
    constexpr ByteRule kRules[] = {
        {.scale = 0x1.022cd6p-10f, .bias = 0x1.ba0eb6p+16f, .min = -1060545, .max = 1140105},
        {.scale = 0x1.01b9ccp-10f, .bias = 0x1.43b352p+16f, .min = -555900, .max = 730065},
        {.scale = 0x1.c39edcp-10f, .bias = 0x1.74f1aep+15f, .min = -502095, .max = 769335},
        {.scale = 0x1.a38f08p-11f, .bias = 0x1.6df10ap+17f, .min = -1321155, .max = 1145205},
        {.scale = 0x1.03973cp-16f,
         .bias = -0x1.ae765p+12f,
         .min = -342097,
         .max = 342323,
         .clips = true,
         .high = 6.0f,
         .factor = 0x1.4347dp+8f},
    };
    for (ByteRule rule : kRules) {
        rule.bias_first = true;
        const auto sum = found_sum(rule);
        ASSERT_TRUE(sum) << rule.scale;
        EXPECT_NE(sum->scale, rule.scale * rule.factor);
        EXPECT_EQ(differences(rule, *sum), 0) << rule.scale;
    }
}

TEST_F(FloatSumTest, TopByte) {
    EXPECT_EQ(top_byte({}), 255);
    EXPECT_EQ(top_byte({.is_signed = true}), 127);
    EXPECT_EQ(top_byte({.clips = true, .high = 6.0f, .factor = 20.25f}), 122);  // 121.5
    EXPECT_EQ(top_byte({.clips = true, .high = 6.0f, .factor = 100.0f}), 255);
    ByteRule rule{.scale = 0.0113f,
                  .bias_first = true,
                  .max = 100000,
                  .clips = true,
                  .high = 6.0f,
                  .factor = 20.0f};
    EXPECT_TRUE(found_sum(rule));
    rule.low = 1.0f;  // a byte above 0 would be the least
    EXPECT_FALSE(found_sum(rule));
}

TEST_F(FloatSumTest, ConstantBytes) {
    for (const float bias : {300.0f, -5.0f, 7.25f}) {
        const ByteRule rule{.scale = 1e-6f, .bias = bias, .min = -3000, .max = 3000};
        const auto sum = found_sum(rule);
        ASSERT_TRUE(sum) << bias;
        EXPECT_EQ(differences(rule, *sum), 0) << bias;
    }
}

// Every half of a byte is at an integer, where the long way's last rounding decides.
TEST_F(FloatSumTest, NothingIsFoundWhereNothingFits) {
    EXPECT_FALSE(found_sum({.scale = 0.01f, .min = -1000, .max = 100000}));
}

TEST_F(FloatSumTest, SumsThatDoNotFitAreLeftToTheLongWay) {
    const ByteRule good{.scale = 0.0113f, .min = -1000, .max = 100000};
    EXPECT_TRUE(found_sum(good));
    const auto without = [&](auto&& change) {
        ByteRule rule = good;
        change(rule);
        return !found_sum(rule);
    };
    EXPECT_TRUE(without([](ByteRule& r) { r.scale = 0.0f; }));
    EXPECT_TRUE(without([](ByteRule& r) { r.scale = -0.01f; }));
    EXPECT_TRUE(without([](ByteRule& r) { r.scale = std::nanf(""); }));
    EXPECT_TRUE(without([](ByteRule& r) { r.bias = std::nanf(""); }));
    EXPECT_TRUE(without([](ByteRule& r) { r.max = 1 << 23; }));
    EXPECT_TRUE(without([](ByteRule& r) { r.min = -(1 << 23); }));
    EXPECT_TRUE(without([](ByteRule& r) { r.min = r.max + 1; }));
    EXPECT_TRUE(without([](ByteRule& r) {  // no room for both ends
        r.min = -(1 << 22);
        r.max = 1 << 22;
    }));
    EXPECT_TRUE(without([](ByteRule& r) {  // more than a 32-bit integer
        r.scale = 9000.0f;
        r.max = 1 << 22;
    }));
}

}  // namespace
}  // namespace fuseq::kernels
