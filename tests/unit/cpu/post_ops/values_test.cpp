// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fuseq/error.hpp"

namespace fuseq::post_ops {
namespace {

using ::testing::ElementsAre;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kMin = std::numeric_limits<float>::denorm_min();

TEST(ValuesArithmetic, APerTensorValueIsThatOfEveryChannel) {
    const Values list({1.0f, 2.0f, 3.0f});
    EXPECT_THAT(product(list, 2.0f)->list(), ElementsAre(2.0f, 4.0f, 6.0f));
    EXPECT_THAT(product(2.0f, list)->list(), ElementsAre(2.0f, 4.0f, 6.0f));
    EXPECT_THAT(sum(1.0f, list)->list(), ElementsAre(2.0f, 3.0f, 4.0f));
    EXPECT_THAT(combine(list, 1.0f, [](double a, double b) { return a - b; }).list(),
                ElementsAre(0.0f, 1.0f, 2.0f));
}

// What has the same value for all channels has one.
TEST(ValuesArithmetic, EqualChannelsBecomeOne) {
    EXPECT_TRUE(product(Values({1.0f, 2.0f}), Values({2.0f, 1.0f}))->per_tensor());
    EXPECT_TRUE(sum(Values({1.0f, 2.0f}), Values({2.0f, 1.0f}))->all_equal_to(3.0f));
}

// 2^24 + 1 is no float, and so is the exact product here: one rounding, not two.
TEST(ValuesArithmetic, RoundsOnce) {
    const float a = 16777216.0f;
    const Values twice = map(a, [](double x) { return (x + 1.0) * 2.0 - 2.0 * x; });
    EXPECT_EQ(twice[0], 2.0f);
}

TEST(Product, IsRefusedWhenANumberIsLost) {
    EXPECT_FALSE(product(kLargest, 2.0f));
    EXPECT_FALSE(product(Values({1.0f, 1e-30f}), Values({1.0f, 1e-30f})));
    EXPECT_FALSE(product(kMin, 0.25f));
    EXPECT_EQ(product(kMin, 2.0f)->min(), 2.0f * kMin);
    EXPECT_EQ(product(kLargest, 1.0f)->max(), kLargest);
}

// Bounds of clips may be infinite, and zero times such a bound is zero.
TEST(Product, OfZeroAndInfinityIsZero) {
    EXPECT_TRUE(product(0.0f, kInf)->all_equal_to(0.0f));
    EXPECT_TRUE(product(kInf, -2.0f)->all_equal_to(-kInf));
    EXPECT_TRUE(product(0.0f, kLargest)->all_equal_to(0.0f));
}

TEST(Sum, IsRefusedWhenItOverflows) {
    EXPECT_FALSE(sum(kLargest, kLargest));
    EXPECT_FALSE(sum(Values({0.0f, -kLargest}), Values({0.0f, -kLargest})));
    EXPECT_TRUE(sum(kInf, 5.0f)->all_equal_to(kInf));
    EXPECT_TRUE(sum(kLargest, -kLargest)->all_equal_to(0.0f));
}

TEST(AllOf, LooksAtEveryChannel) {
    EXPECT_TRUE(all_finite(Values({1.0f, kLargest})));
    EXPECT_FALSE(all_finite(Values({1.0f, kInf})));
    EXPECT_FALSE(all_finite(std::nanf("")));
    EXPECT_TRUE(all_integers(Values({-3.0f, 1e20f})));
    EXPECT_FALSE(all_integers(Values({-3.0f, 0.5f})));
    EXPECT_FALSE(all_integers(kInf));
}

TEST(FirstChannel, IsTheFirstOrAfterTheLast) {
    const Values list({1.0f, -2.0f, -3.0f});
    EXPECT_EQ(first_channel(list, [](float v) { return v < 0.0f; }), 1u);
    EXPECT_EQ(first_channel(list, [](float v) { return v > 5.0f; }), 3u);
}

TEST(ChannelsOf, AreThoseOfEveryKindOfOperation) {
    const Values three({1.0f, 2.0f, 3.0f});
    EXPECT_EQ(channels_of({Scale{2.0f}, Round{}, Eltwise{}}), 1u);
    EXPECT_EQ(channels_of({Scale{three}}), 3u);
    EXPECT_EQ(channels_of({Round{}, Shift{three}}), 3u);
    EXPECT_EQ(channels_of({Clip{0.0f, three}}), 3u);
    EXPECT_EQ(channels_of({Clip{three, 9.0f}}), 3u);
    EXPECT_EQ(channels_of({Prelu{three}, Scale{three}}), 3u);
}

TEST(ChannelsOf, RefusesNumbersThatDiffer) {
    const Values two({1.0f, 2.0f});
    const Values three({1.0f, 2.0f, 3.0f});
    const auto refused = [](std::vector<BasicOp> ops) {
        EXPECT_THAT([&] { channels_of(ops); }, ::testing::ThrowsMessage<Error>(
                                                   ::testing::HasSubstr("values for 2 and for 3")));
    };
    refused({Scale{two}, Shift{three}});
    refused({Clip{two, three}});
    refused({Shift{two}, Scale{1.0f}, Prelu{three}});
}

}  // namespace
}  // namespace fuseq::post_ops
