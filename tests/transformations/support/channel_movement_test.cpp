// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/channel_movement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuseq {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

std::shared_ptr<Model> model(const std::string& node) {
    return Model::from_text(R"(model "m"
        %a = Parameter : u8[1,4,3,3]
        %b = Parameter : u8[1,?,3,3]
        %c = Parameter : u8[...]
        %i = Parameter : i64[2]
        %minus = Const value={-3} : i64[]
        %one = Const value={1} : i64[]
        %two = Const value={2} : i64[]
        %some = Const value={3,-4} : i64[2]
        %far = Const value={0,4} : i64[2]
        %square = Const value={0,1} : i64[1,2]
        %n = )" + node + R"(
        %r = Result(%n))");
}

std::optional<std::vector<std::int64_t>> gathered(const std::string& node) {
    return gathered_channels(*model(node)->find("n"));
}

TEST(ChannelMovement, KnowsTheChannelsOfAGather) {
    EXPECT_THAT(gathered("Gather.8(%a, %some, %one)"), Optional(ElementsAre(3, 0)));
    EXPECT_THAT(gathered("Gather.8(%a, %some, %minus)"), Optional(ElementsAre(3, 0)));
}

TEST(ChannelMovement, KnowsNothingOfOthers) {
    EXPECT_FALSE(gathered("Gather.8(%a, %some, %two)"));    // not along channels
    EXPECT_FALSE(gathered("Gather.8(%a, %i, %one)"));       // not constant
    EXPECT_FALSE(gathered("Gather.8(%b, %some, %one)"));    // of how many?
    EXPECT_FALSE(gathered("Gather.8(%c, %some, %one)"));    // nor which dimension
    EXPECT_FALSE(gathered("Gather.8(%a, %far, %one)"));     // reads zeros
    EXPECT_FALSE(gathered("Gather.8(%a, %square, %one)"));  // makes a dimension
    EXPECT_FALSE(gathered("ReLU(%a)"));
}

TEST(ChannelMovement, KnowsAConcatOfChannels) {
    const auto concatenates = [](const std::string& node) {
        return concatenates_channels(*model(node)->find("n"));
    };
    EXPECT_TRUE(concatenates("Concat(%a, %a) axis=1"));
    EXPECT_TRUE(concatenates("Concat(%a, %a) axis=-3"));
    EXPECT_FALSE(concatenates("Concat(%a, %a) axis=2"));
    EXPECT_FALSE(concatenates("Concat(%a, %b) axis=1"));
    EXPECT_FALSE(concatenates("ReLU(%a)"));
}

TEST(ChannelMovement, CountsChannels) {
    const auto m = model("ReLU(%a)");
    EXPECT_EQ(channel_count(m->find("a")->output()), 4u);
    EXPECT_EQ(channel_count(m->find("b")->output()), 0u);
    EXPECT_EQ(channel_count(m->find("c")->output()), 0u);
}

}  // namespace
}  // namespace fuseq
