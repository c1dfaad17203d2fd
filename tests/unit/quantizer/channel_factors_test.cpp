// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/channel_factors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuseq::quantizer {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

// Square roots 4 and 1 of the ranges, geometric mean 2.
TEST(ChannelFactors, GrowWithTheRange) {
    EXPECT_THAT(channel_factors({16, 1}, {1, 1}, 0.5), ElementsAre(FloatEq(2), FloatEq(0.5f)));
}

// Of small weights little is lost: 1 / sqrt(1/16) = 4 against 1.
TEST(ChannelFactors, GrowWhereWeightsAreSmall) {
    EXPECT_THAT(channel_factors({1, 1}, {0.0625, 1}, 0.5), ElementsAre(FloatEq(2), FloatEq(0.5f)));
}

// By the range alone, or by the weights alone.
TEST(ChannelFactors, ByStrength) {
    EXPECT_THAT(channel_factors({16, 1}, {0.25, 1}, 1), ElementsAre(FloatEq(4), FloatEq(0.25f)));
    EXPECT_THAT(channel_factors({16, 1}, {0.25, 1}, 0), ElementsAre(FloatEq(2), FloatEq(0.5f)));
}

TEST(ChannelFactors, AreOneForDeadChannels) {
    EXPECT_THAT(channel_factors({16, 0, 1, 5}, {1, 1, 1, 0}, 0.5),
                ElementsAre(FloatEq(2), 1, FloatEq(0.5f), 1));
    EXPECT_THAT(channel_factors({0, 0}, {1, 1}, 0.5), ElementsAre(1, 1));
}

TEST(ChannelFactors, AreBounded) {
    EXPECT_THAT(channel_factors({1e8, 1}, {1, 1}, 0.5), ElementsAre(32, 0.03125f));
    EXPECT_EQ(bounded_factor(1e9), 32);
    EXPECT_EQ(bounded_factor(0), 0.03125f);
    EXPECT_EQ(bounded_factor(3), 3);
}

}  // namespace
}  // namespace fuseq::quantizer
