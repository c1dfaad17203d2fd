// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/slow_layers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Times = std::vector<LayerTime>;

std::vector<std::string> names(const Times& int8, const Times& in_float) {
    std::vector<std::string> found;
    for (const SlowLayer& layer : slower_in_int8(int8, in_float)) {
        found.push_back(layer.layer);
    }
    return found;
}

TEST(SlowLayers, AreThoseThatTakeLongerInTheOrderOfTheFirstList) {
    const Times int8{{"c", 50}, {"a", 200}, {"b", 30}};
    const Times in_float{{"a", 100}, {"b", 90}, {"c", 20}};
    const std::vector<SlowLayer> slow = slower_in_int8(int8, in_float);
    ASSERT_EQ(slow.size(), 2u);
    EXPECT_EQ(slow[0].layer, "c");
    EXPECT_EQ(slow[0].int8_us, 50);
    EXPECT_EQ(slow[0].float_us, 20);
    EXPECT_EQ(slow[1].layer, "a");
    EXPECT_EQ(slow[1].int8_us, 200);
    EXPECT_EQ(slow[1].float_us, 100);
}

TEST(SlowLayers, TiesAreNotSlower) {
    EXPECT_THAT(names({{"a", 100}, {"b", 0}}, {{"a", 100}, {"b", 0}}), IsEmpty());
}

// 10 % and 3 us, both.
TEST(SlowLayers, ALittleSlowerIsNoise) {
    EXPECT_THAT(names({{"a", 1099}}, {{"a", 1000}}), IsEmpty());
    EXPECT_THAT(names({{"a", 1101}}, {{"a", 1000}}), ElementsAre("a"));
    EXPECT_THAT(names({{"a", 4}}, {{"a", 1}}), IsEmpty());
    EXPECT_THAT(names({{"a", 4.25}}, {{"a", 1}}), ElementsAre("a"));
    EXPECT_THAT(names({{"a", 32.5}}, {{"a", 30}}), IsEmpty());
}

TEST(SlowLayers, NothingIsKnownOfALayerThatOneListHasOnly) {
    EXPECT_THAT(names({{"a", 100}, {"b", 100}}, {{"b", 10}, {"c", 10}}), ElementsAre("b"));
    EXPECT_THAT(names({}, {{"a", 1}}), IsEmpty());
    EXPECT_THAT(names({{"a", 100}}, {}), IsEmpty());
}

TEST(SlowLayers, NothingIsKnownWithoutATime) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(
        names({{"a", kInfinite}, {"b", kNan}, {"c", 100}}, {{"a", 1}, {"b", 1}, {"c", kNan}}),
        IsEmpty());
}

}  // namespace
}  // namespace fuseq::cpu
