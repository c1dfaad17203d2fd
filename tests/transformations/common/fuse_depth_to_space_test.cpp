// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/fuse_depth_to_space.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"
#include "support/shuffle_text.hpp"

namespace fuseq::testing {
namespace {

std::string shuffle(const std::string& split,
                    const std::string& order,
                    const std::string& joined = "2,3,4,6") {
    return shuffle_model("2,12,2,3", split, order, joined);
}

std::string block(const std::string& mode) {
    return R"(model "m"
        %x = Parameter : f32[2,12,2,3]
        %y = DepthToSpace(%x) block_size=2 mode=)" +
           mode + "\n%r = Result(%y)";
}

TEST(FuseDepthToSpace, FindsBothOrdersOfBlocks) {
    const PassTest depth = run_pass(fuse_depth_to_space, shuffle("2,3,2,2,2,3", "0,1,4,2,5,3"));
    EXPECT_EQ(differs_from(depth, block("depth_first")), "");
    EXPECT_EQ(depth.after->find("y")->origins, (std::vector<std::string>{"y", "a", "b"}));
    EXPECT_EQ(largest_difference(depth), 0.0);
    const PassTest blocks = run_pass(fuse_depth_to_space, shuffle("2,2,2,3,2,3", "0,3,4,1,5,2"));
    EXPECT_EQ(differs_from(blocks, block("blocks_first")), "");
    EXPECT_EQ(largest_difference(blocks), 0.0);
}

TEST(FuseDepthToSpace, LeavesOtherOrdersAndShapes) {
    const auto changed = [](const std::string& text) {
        return run_pass(fuse_depth_to_space, text).changed;
    };
    // Rows and columns of a block exchanged; the order of the other mode; blocks of 1 x 4; the
    // image cut elsewhere; a result of another shape.
    EXPECT_FALSE(changed(shuffle("2,3,2,2,2,3", "0,1,4,3,5,2")));
    EXPECT_FALSE(changed(shuffle("2,3,2,2,2,3", "0,3,4,1,5,2")));
    EXPECT_FALSE(changed(shuffle("2,3,1,4,2,3", "0,1,4,2,5,3", "2,3,2,12")));
    EXPECT_FALSE(changed(shuffle("2,3,2,2,3,2", "0,1,4,2,5,3", "2,3,6,4")));
    EXPECT_FALSE(changed(shuffle("2,3,2,2,2,3", "0,1,4,2,5,3", "2,3,6,4")));
}

TEST(FuseDepthToSpace, LeavesResultsThatAreRead) {
    const std::string text = shuffle("2,3,2,2,2,3", "0,1,4,2,5,3");
    EXPECT_FALSE(run_pass(fuse_depth_to_space, text + "\n%s = Result(%b)").changed);
    EXPECT_FALSE(run_pass(fuse_depth_to_space, text + "\n%s = Result(%a)").changed);
}

}  // namespace
}  // namespace fuseq::testing
