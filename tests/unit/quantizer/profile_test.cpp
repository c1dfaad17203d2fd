// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/small_model.hpp"

namespace fuseq::quantizer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TensorProfile empty_profile() {
    TensorProfile profile;
    profile.histogram = Histogram(64);
    return profile;
}

TEST(TensorProfile, KeepsRangesAndSumsOfChannels) {
    TensorProfile profile = empty_profile();
    const std::vector<float> values{1, 2, -3, 4, 5, 6, 0, 8};
    profile.add(values, {2, 2, 2});  // channel 0: 1 2 5 6, channel 1: -3 4 0 8
    EXPECT_EQ(profile.range.min, -3);
    EXPECT_EQ(profile.range.max, 8);
    ASSERT_EQ(profile.channels.size(), 2U);
    EXPECT_EQ(profile.channels[0].min, 1);
    EXPECT_EQ(profile.channels[0].max, 6);
    EXPECT_EQ(profile.channels[1].min, -3);
    EXPECT_EQ(profile.channels[1].max, 8);
    EXPECT_THAT(profile.channel_sums, ElementsAre(14, 9));
    EXPECT_EQ(profile.channel_count, 4U);
    EXPECT_EQ(profile.histogram.total(), 8U);
}

TEST(TensorProfile, MergesInputsOfOtherBatchAndSize) {
    TensorProfile profile = empty_profile();
    profile.add(std::vector<float>{1, 2}, {1, 2, 1});
    profile.add(std::vector<float>{-1, 0, 5, 6, 7, 8}, {1, 2, 3});
    EXPECT_EQ(profile.channels[0].min, -1);
    EXPECT_EQ(profile.channels[1].max, 8);
    EXPECT_EQ(profile.channel_count, 4U);
    // Other channels: no range of a channel is one of the other's.
    profile.add(std::vector<float>{1, 2, 3}, {1, 3});
    EXPECT_TRUE(profile.channels.empty());
    EXPECT_EQ(profile.histogram.total(), 11U);
}

TEST(TensorProfile, RefusesWhatIsNotFinite) {
    for (const float bad : {std::nanf(""), INFINITY, -INFINITY}) {
        TensorProfile profile = empty_profile();
        std::vector<float> values(9, 1.0f);
        values[6] = bad;
        EXPECT_THAT(test::message_of([&] {
                        profile.add(values, {1, 9});
                    }),
                    HasSubstr("at position 6 of 9"));
    }
}

Profile profile_of(const std::vector<float>& values) {
    Profile profile;
    profile.histogram_bins = 64;
    profile.inputs = 1;
    profile.graph = {1, {{"a", 5}}};
    profile.tensors["a"] = empty_profile();
    profile.tensors["a"].add(values, {1, values.size()});
    return profile;
}

TEST(Profile, MergesRunsOfTheSameGraph) {
    Profile profile = profile_of({1, 2});
    profile.merge(profile_of({-1, 4}));
    EXPECT_EQ(profile.inputs, 2U);
    EXPECT_EQ(profile.tensors["a"].range.min, -1);
    EXPECT_EQ(profile.tensors["a"].range.max, 4);
}

TEST(Profile, RefusesOtherGraphsBinsAndLowering) {
    Profile profile = profile_of({1});
    Profile other = profile_of({1});
    other.graph = {2, {{"a", 6}}};
    EXPECT_THAT(test::message_of([&] { profile.merge(other); }),
                HasSubstr("belongs to another graph: its layer 'a' has another"));
    other = profile_of({1});
    other.histogram_bins = 32;
    EXPECT_THAT(test::message_of([&] { profile.merge(other); }), HasSubstr("of 32 bins, not 64"));
    other = profile_of({1});
    other.not_lowered = {"BatchNormInference"};
    EXPECT_THAT(test::message_of([&] { profile.merge(other); }),
                HasSubstr("-do_not_lower_nodes_for_profiling=BatchNormInference"));
}

}  // namespace
}  // namespace fuseq::quantizer
