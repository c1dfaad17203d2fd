// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/channel_values.hpp"

#include <gtest/gtest.h>

namespace fuseq::testing {
namespace {

using Values = std::vector<float>;

TEST(ChannelValues, EqualValuesAreOne) {
    const ChannelValues equal({2, 2, 2}, 1);
    EXPECT_TRUE(equal.per_tensor());
    EXPECT_EQ(equal, ChannelValues(2.0f));
    EXPECT_EQ(equal.axis(), 0u);
    EXPECT_EQ(equal[2], 2.0f);
    EXPECT_TRUE(equal.all_equal_to(2));
    EXPECT_FALSE(equal.all_equal_to(3));
}

TEST(ChannelValues, ValuesThatDifferBelongToAChannelEach) {
    const ChannelValues values({3, -5, 4}, 1);
    EXPECT_EQ(values.size(), 3u);
    EXPECT_EQ(values[1], -5.0f);
    EXPECT_EQ(values.min(), -5.0f);
    EXPECT_EQ(values.max(), 4.0f);
    EXPECT_FALSE(values.all_equal_to(3));
    EXPECT_EQ(values.at_axis(3).axis(), 3u);
    EXPECT_EQ(values.at_axis(3).list(), values.list());
}

TEST(ChannelValues, BecomeAConstantThatBroadcasts) {
    EXPECT_EQ(ChannelValues(7.0f).to_tensor(4).get_shape(), Shape{});
    const Tensor tensor = ChannelValues({1, 2}, 1).to_tensor(4);
    EXPECT_EQ(tensor.get_shape(), (Shape{1, 2, 1, 1}));
    EXPECT_EQ(to_floats(tensor), (Values{1, 2}));
}

TEST(ChannelValues, AreReadFromAConstantByTheDimensionItMeets) {
    const auto axis_of = [](const Shape& shape, std::size_t rank) {
        return channel_values(Tensor::of(shape, Values{1, 2, 3}), rank).value().axis();
    };
    EXPECT_EQ(axis_of({1, 3, 1, 1}, 4), 1u);
    EXPECT_EQ(axis_of({3, 1, 1}, 4), 1u);  // aligned at the last dimension
    EXPECT_EQ(axis_of({3}, 4), 3u);
    EXPECT_EQ(axis_of({3}, 1), 0u);
}

TEST(ChannelValues, AreNoneWhereAConstantVariesAlongTwoDimensionsOrAddsOne) {
    EXPECT_FALSE(channel_values(Tensor::of(Shape{2, 2}, Values{1, 2, 3, 4}), 4));
    EXPECT_FALSE(channel_values(Tensor::of(Shape{2, 1, 1}, Values{1, 2}), 2));
    EXPECT_FALSE(channel_values(Tensor::of(Shape{1, 1, 2}, Values{1, 2}), 2));
    EXPECT_FALSE(channel_values(Tensor(ElementType::f32, Shape{0}), 2));
    EXPECT_EQ(channel_values(Tensor::of(Shape{1, 1}, Values{5}), 2).value(), ChannelValues(5.0f));
}

TEST(ChannelValues, CombineChannelByChannel) {
    const ChannelValues channels({1, 2, 3}, 2);
    const auto minus = [](float a, float b) { return a - b; };
    EXPECT_EQ(combine(10.0f, channels, minus), ChannelValues({9, 8, 7}, 2));
    EXPECT_EQ(combine(channels, 1.0f, minus), ChannelValues({0, 1, 2}, 2));
    EXPECT_EQ(combine(channels, channels, minus), ChannelValues(0.0f));
}

TEST(ChannelValues, OfTwoDimensionsOrSizesDoNotGoTogether) {
    const ChannelValues channels({1, 2}, 1);
    EXPECT_TRUE(same_axis(channels, 1.0f));
    EXPECT_TRUE(same_axis(channels, ChannelValues({3, 4}, 1)));
    EXPECT_FALSE(same_axis(channels, ChannelValues({3, 4}, 2)));
    EXPECT_FALSE(same_axis(channels, ChannelValues({3, 4, 5}, 1)));
}

}  // namespace
}  // namespace fuseq::testing
