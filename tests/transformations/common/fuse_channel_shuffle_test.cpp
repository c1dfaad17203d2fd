// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/fuse_channel_shuffle.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"
#include "support/shuffle_text.hpp"

namespace fuseq::testing {
namespace {

std::string shuffle(const std::string& order, const std::string& back = "2,6,2,3") {
    return shuffle_model("2,6,2,3", "2,2,3,2,3", order, back);
}

TEST(FuseChannelShuffle, BecomesAGather) {
    const PassTest test = run_pass(fuse_channel_shuffle, shuffle("0,2,1,3,4"));
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : f32[2,6,2,3]
        %i = Const value={0,3,1,4,2,5} : i64[6]
        %a = Const value={1} : i64[]
        %y = Gather.8(%x, %i, %a)
        %r = Result(%y))"),
              "");
    EXPECT_EQ(test.after->find("y")->origins, (std::vector<std::string>{"y", "a", "b"}));
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(FuseChannelShuffle, LeavesWhatMovesMore) {
    for (const char* order : {"1,2,0,3,4", "0,2,1,4,3", "0,3,1,2,4"}) {
        EXPECT_FALSE(run_pass(fuse_channel_shuffle, shuffle(order)).changed) << order;
    }
    EXPECT_FALSE(run_pass(fuse_channel_shuffle, shuffle("0,2,1,3,4", "2,6,3,2")).changed);
}

TEST(FuseChannelShuffle, LeavesResultsThatAreRead) {
    std::string text = shuffle("0,2,1,3,4");
    EXPECT_FALSE(run_pass(fuse_channel_shuffle, text + "\n%s = Result(%b)").changed);
}

}  // namespace
}  // namespace fuseq::testing
