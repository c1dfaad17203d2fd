// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/laws/channel_tracking.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace fuseq::testing {
namespace {

class ChannelTrackingTest : public ::testing::Test {
protected:
    // The DQ of each output of the layer "n", whose input %x has scales (and zero points) along
    // dimension 1; none where the channels are lost.
    std::optional<std::vector<Dequantize>> track(const std::string& text,
                                                 const std::vector<float>& scales,
                                                 const std::vector<float>& zero_points) {
        model_ = Model::from_text(text + "\n%r = Result(%n)");
        Dequantize dq;
        dq.scale = {scales, 1};
        dq.zero_point = {zero_points, 1};
        return track_channels(*model_->find("n"), dq);
    }
    std::optional<std::vector<Dequantize>> track(const std::string& text,
                                                 const std::vector<float>& scales) {
        return track(text, scales, std::vector<float>(scales.size(), 0.0f));
    }

    std::shared_ptr<Model> model_;
};

TEST_F(ChannelTrackingTest, ATransposeMovesTheDimension) {
    const auto dqs = track(R"(%x = Parameter : f32[1,3,2,2]
                              %o = Const value={0,2,3,1} : i64[4]
                              %n = Transpose(%x, %o))",
                           {2, 3, 4}, {1, 0, 5});
    ASSERT_TRUE(dqs);
    ASSERT_EQ(dqs->size(), 1U);
    EXPECT_EQ(dqs->front().scale, ChannelValues({2, 3, 4}, 3));
    EXPECT_EQ(dqs->front().zero_point, ChannelValues({1, 0, 5}, 3));
}

TEST_F(ChannelTrackingTest, EachOutputOfASplitHasItsChannels) {
    const auto dqs = track(R"(%x = Parameter : f32[1,4,2,2]
                              %a = Const value={1} : i64[]
                              %l = Const value={1,3} : i64[2]
                              %n = VariadicSplit(%x, %a, %l))",
                           {2, 3, 4, 5});
    ASSERT_TRUE(dqs);
    ASSERT_EQ(dqs->size(), 2U);
    EXPECT_EQ((*dqs)[0].scale, ChannelValues({2}, 1));
    EXPECT_EQ((*dqs)[1].scale, ChannelValues({3, 4, 5}, 1));
}

TEST_F(ChannelTrackingTest, AGatherMayRepeatAndReorderChannels) {
    const auto dqs = track(R"(%x = Parameter : f32[1,3,2]
                              %i = Const value={2,0,0,1} : i64[4]
                              %a = Const value={1} : i64[]
                              %n = Gather(%x, %i, %a))",
                           {2, 3, 4});
    ASSERT_TRUE(dqs);
    EXPECT_EQ(dqs->front().scale, ChannelValues({4, 2, 2, 3}, 1));
}

// [1, 4, 2] as [1, 2, 4]: rows hold two channels each. They may be one where both scales are equal.
TEST_F(ChannelTrackingTest, AReshapeMayMixChannelsOfOneScaleOnly) {
    const std::string reshape = R"(%x = Parameter : f32[1,4,2]
                                   %s = Const value={1,2,4} : i64[3]
                                   %n = Reshape(%x, %s) special_zero=false)";
    EXPECT_FALSE(track(reshape, {2, 3, 4, 5}));
    const auto dqs = track(reshape, {2, 2, 5, 5});
    ASSERT_TRUE(dqs);
    EXPECT_EQ(dqs->front().scale, ChannelValues({2, 5}, 1));
    EXPECT_FALSE(track(reshape, {2, 2, 5, 5}, {0, 0, 0, 1}));
}

TEST_F(ChannelTrackingTest, OpenDimensionsBesideTheChannelsDoNotMatter) {
    const auto dqs = track(R"(%x = Parameter : f32[?,3,?,2]
                              %o = Const value={0,2,1,3} : i64[4]
                              %n = Transpose(%x, %o))",
                           {2, 3, 4});
    ASSERT_TRUE(dqs);
    EXPECT_EQ(dqs->front().scale, ChannelValues({2, 3, 4}, 2));
}

TEST_F(ChannelTrackingTest, WhatIsNotKnownIsNotTracked) {
    // A number of channels, an order, and more elements than are worth it (2^24).
    EXPECT_FALSE(track(R"(%x = Parameter : f32[1,?,2,2]
                          %o = Const value={0,2,3,1} : i64[4]
                          %n = Transpose(%x, %o))",
                       {2, 3, 4}));
    EXPECT_FALSE(track(R"(%x = Parameter : f32[1,3,2,2]
                          %o = Parameter : i64[4]
                          %n = Transpose(%x, %o))",
                       {2, 3, 4}));
    EXPECT_FALSE(track(R"(%x = Parameter : f32[1,2,4096,4096]
                          %o = Const value={0,2,3,1} : i64[4]
                          %n = Transpose(%x, %o))",
                       {2, 3}));
}

// One scale for all follows whatever happens to the elements, known or not.
TEST_F(ChannelTrackingTest, OneScaleForAllNeedsNoTracking) {
    model_ = Model::from_text(R"(%x = Parameter : f32[1,?,2,2]
                                 %o = Parameter : i64[4]
                                 %n = Transpose(%x, %o)
                                 %r = Result(%n))");
    Dequantize dq;
    dq.scale = 7.0f;
    const auto dqs = track_channels(*model_->find("n"), dq);
    ASSERT_TRUE(dqs);
    EXPECT_EQ(dqs->front().scale, ChannelValues(7.0f));
}

}  // namespace
}  // namespace fuseq::testing
