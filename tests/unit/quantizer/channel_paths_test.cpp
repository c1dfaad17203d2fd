// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/channel_paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuseq::quantizer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Follows the channels of %x, numbered from 1 on, through `layers` to the convolution %c, which
// reads %moved.
ChannelPaths paths(const std::string& shape, const std::string& layers, std::size_t read) {
    const auto model =
        Model::from_text("%in = Parameter : f32[" + shape + "]\n%x = ReLU(%in)\n" + layers +
                         "\n%w = Const value=random(1) : f32[1," + std::to_string(read) +
                         ",1,1]\n"
                         "%c = Convolution(%moved, %w) strides=[1,1] dilations=[1,1] "
                         "pads_begin=[0,0] pads_end=[0,0]\n"
                         "%out = Result(%c)");
    Node* x = model->find("x");
    const Place place{x->output(), x->port().uses, 0, false};
    const std::size_t count = x->output().shape()[1];
    ChannelReaders readers{{{"c", model->find("c")}}, {}};
    for (const Node* node : model->ordered_nodes()) {
        if (moves_blindly(*node)) {
            readers.movements.insert(node->name());
        }
    }
    return follow_channels(*model, {{&place, 1, count, 1}}, count + 1, readers, "REFERENCE");
}

std::vector<std::size_t> numbers(const ChannelPaths& paths) {
    return paths.sinks.empty() ? std::vector<std::size_t>{} : paths.sinks[0].numbers;
}

TEST(ChannelPaths, FollowAShuffle) {
    // Groups of two are dealt out one by one.
    EXPECT_THAT(numbers(paths("1,4,2,3", R"(
        %s1 = Const value={1,2,2,2,3} : i64[5]
        %apart = Reshape(%x, %s1) special_zero=false
        %order = Const value={0,2,1,3,4} : i64[5]
        %dealt = Transpose(%apart, %order)
        %s2 = Const value={1,4,2,3} : i64[4]
        %moved = Reshape(%dealt, %s2) special_zero=false)",
                              4)),
                ElementsAre(1, 3, 2, 4));
}

TEST(ChannelPaths, FollowSplitsConcatsAndPooling) {
    EXPECT_THAT(numbers(paths("2,4,4,4", R"(
        %axis = Const value={1} : i64[]
        %half = Split(%x, %axis) num_splits=2
        %small = MaxPool(%half:1) strides=[1,1] pads_begin=[1,1] pads_end=[1,1] kernel=[3,3]
        %moved = Concat(%small, %half) axis=1)",
                              4)),
                ElementsAre(3, 4, 1, 2));
}

// Zero is zero whatever it is divided by.
TEST(ChannelPaths, PassThePaddingOfOthers) {
    EXPECT_THAT(numbers(paths("1,2,2,2", R"(
        %before = Const value={0,1,1,0} : i64[4]
        %after = Const value={0,0,0,2} : i64[4]
        %zero = Const value={0} : f32[]
        %moved = Pad(%x, %before, %after, %zero) pad_mode=constant)",
                              3)),
                ElementsAre(0, 1, 2));
}

// What other layers compute has no number, whatever its values are.
TEST(ChannelPaths, PassWhatOthersCompute) {
    EXPECT_THAT(numbers(paths("1,2,2,2", R"(
        %other = Exp(%in)
        %moved = Concat(%other, %x) axis=1)",
                              4)),
                ElementsAre(0, 0, 1, 2));
}

// Two channels of %x in each of the convolution's.
TEST(ChannelPaths, AreMixedWhereChannelsBecomeRows) {
    const ChannelPaths mixed = paths("1,4,1,3", R"(
        %shape = Const value={1,2,2,3} : i64[4]
        %moved = Reshape(%x, %shape) special_zero=false)",
                                     2);
    EXPECT_THAT(mixed.sinks, IsEmpty());
    EXPECT_THAT(mixed.mixed, ElementsAre(1, 2, 3, 4));
}

// The greatest of four channels may come from any of them: numbers alone would say the last one.
TEST(ChannelPaths, AreMixedByAMaximumOverChannels) {
    const ChannelPaths mixed = paths("1,4,2,2", R"(
        %axes = Const value={1} : i64[1]
        %moved = ReduceMax(%x, %axes) keep_dims=true)",
                                     1);
    EXPECT_THAT(mixed.sinks, IsEmpty());
    EXPECT_THAT(mixed.mixed, testing::IsSupersetOf({1, 4}));
}

TEST(ChannelPaths, EndWhereValuesDecide) {
    const auto model = Model::from_text(R"(
        %x = Parameter : f32[1,4,2,2]
        %which = Parameter : i64[4]
        %axis = Const value={1} : i64[]
        %known = Const value={3,2,1,0} : i64[4]
        %computed = Gather(%x, %which, %axis) batch_dims=0
        %fixed = Gather(%x, %known, %axis) batch_dims=0
        %shape = ShapeOf(%x) output_type=i64
        %same = Reshape(%x, %shape) special_zero=false
        %k = Const value={2} : i64[]
        %best = TopK(%x, %k) axis=1 mode=max sort=value index_element_type=i64
        %r1 = Result(%computed)
        %r2 = Result(%fixed)
        %r3 = Result(%same)
        %r4 = Result(%best))");
    EXPECT_FALSE(moves_blindly(*model->find("computed")));
    EXPECT_TRUE(moves_blindly(*model->find("fixed")));
    EXPECT_TRUE(moves_blindly(*model->find("same")));
    EXPECT_FALSE(moves_blindly(*model->find("best")));
}

}  // namespace
}  // namespace fuseq::quantizer
