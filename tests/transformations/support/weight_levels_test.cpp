// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/weight_levels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "ops/fake_quantize.hpp"

namespace fuseq {
namespace {

// The level of a number as the definition of FakeQuantize has it.
int level_by_definition(double x, double il, double ih, std::int64_t levels) {
    return static_cast<int>(
        std::nearbyint(fake_quantize(x, il, ih, 0.0, static_cast<double>(levels - 1), levels)));
}

WeightLimits one_entry(double il, double ih, std::int64_t levels, double offset) {
    WeightLimits limits;
    limits.last = static_cast<double>(levels - 1);
    limits.add(il, ih, offset);
    return limits;
}

TEST(WeightLevels, ByHand) {
    // 254 steps of 0.5 from -63.5; 0.25 and 0.75 are ties.
    const WeightLimits limits = one_entry(-63.5, 63.5, 255, 127);
    const float values[] = {0, 0.5f, 0.25f, 0.75f, -0.25f, -100, 100, 63.5f, -63.5f, 10.1f};
    std::int8_t result[10];
    ASSERT_TRUE(levels_of_run(limits, 0, false, {.reals = values}, result));
    const int expected[] = {0, 1, 1, 1, -1, -127, 127, 127, -127, 20};
    for (std::size_t i = 0; i < 10; ++i) {
        EXPECT_EQ(int{result[i]}, expected[i]) << "value " << values[i];
    }
}

TEST(WeightLevels, RealsAreAsTheDefinitionSays) {
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (int trial = 0; trial < 50; ++trial) {
        std::uniform_real_distribution<float> limit(-2, 2);
        const float il = limit(random);
        const float ih = limit(random);
        if (il == ih) {
            continue;
        }
        const std::int64_t levels = trial % 2 == 0 ? 255 : 256;
        const WeightLimits limits = one_entry(il, ih, levels, 128);
        std::vector<float> values(777);
        std::uniform_real_distribution<float> value(-3, 3);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = i == 0 ? il : i == 1 ? ih : value(random);
        }
        std::vector<std::int8_t> result(values.size());
        ASSERT_TRUE(levels_of_run(limits, 0, false, {.reals = values.data()}, result));
        for (std::size_t i = 0; i < values.size(); ++i) {
            ASSERT_EQ(result[i] + 128, level_by_definition(values[i], il, ih, levels))
                << values[i] << " of " << il << " to " << ih;
            ASSERT_EQ(level_of(limits, 0, values[i]), result[i]);
        }
    }
}

// Long runs of bytes go through a table, short ones do not.
TEST(WeightLevels, BytesAreAsTheDefinitionSays) {
    for (const std::size_t count : {std::size_t{256}, std::size_t{5000}}) {
        const WeightLimits limits = one_entry(-100, 120, 255, 127);
        std::vector<std::uint8_t> bytes(count);
        std::vector<std::int8_t> signed_bytes(count);
        for (std::size_t i = 0; i < count; ++i) {
            bytes[i] = static_cast<std::uint8_t>(i * 7);
            signed_bytes[i] = static_cast<std::int8_t>(bytes[i]);
        }
        std::vector<std::int8_t> result(count);
        ASSERT_TRUE(levels_of_run(limits, 0, false, {.bytes = bytes.data()}, result));
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_EQ(result[i] + 127, level_by_definition(bytes[i], -100, 120, 255));
        }
        ASSERT_TRUE(levels_of_run(limits, 0, false, {.signed_bytes = signed_bytes.data()}, result));
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_EQ(result[i] + 127, level_by_definition(signed_bytes[i], -100, 120, 255));
        }
    }
}

TEST(WeightLevels, AnEntryForEachValue) {
    WeightLimits limits;
    limits.last = 254;
    for (int i = 0; i < 600; ++i) {
        limits.add(-1.0 - i, 1.0 + i, 127);
    }
    limits.add_constant(1);
    std::vector<float> values(601, 0.5f);
    std::vector<std::int8_t> result(values.size());
    ASSERT_TRUE(levels_of_run(limits, 0, true, {.reals = values.data()}, result));
    for (std::size_t i = 0; i < 600; ++i) {
        const auto range = 1.0 + static_cast<double>(i);
        EXPECT_EQ(result[i] + 127, level_by_definition(0.5, -range, range, 255)) << i;
    }
    EXPECT_EQ(int{result[600]}, 1);
}

TEST(WeightLevels, SaysWhenALevelDoesNotFit) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::int8_t result[2];
    const float high[] = {0, 1};
    EXPECT_FALSE(levels_of_run(one_entry(0, 1, 256, 0), 0, false, {.reals = high}, result));
    EXPECT_TRUE(levels_of_run(one_entry(0, 1, 256, 128), 0, false, {.reals = high}, result));
    const float none[] = {0, nan};
    EXPECT_FALSE(levels_of_run(one_entry(0, 1, 256, 128), 0, false, {.reals = none}, result));
    // A level of a byte that does not occur need not fit.
    const std::vector<std::uint8_t> zeros(1000, 0);
    std::vector<std::int8_t> levels(zeros.size(), 1);
    EXPECT_TRUE(
        levels_of_run(one_entry(0, 255, 256, 0), 0, false, {.bytes = zeros.data()}, levels));
    EXPECT_EQ(int{levels[999]}, 0);
}

TEST(WeightLevels, Sums) {
    const std::int8_t values[] = {-128, 127, 5, -6, 0};
    EXPECT_EQ(sum_of_run(values, false), -2);
    EXPECT_EQ(sum_of_run(values, true), 266);
}

}  // namespace
}  // namespace fuseq
