// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/move_depth_to_space_down.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

std::string model(const std::string& rest, const std::string& weights = "random(1,-9,9)") {
    return R"(model "m"
        %x = Parameter : f32[1,3,4,5]
        %w = Const value=)" +
           weights + R"( : f32[8,3,1,1]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
        )" +
           rest;
}

TEST(MoveDepthToSpaceDown, QuantizesFirst) {
    const std::string limits = R"(%l = Const value={-10} : f32[]
        %h = Const value={15.5} : f32[]
        %ol = Const value={0} : f32[]
        %oh = Const value={255} : f32[]
        )";
    const PassTest test = run_pass(move_depth_to_space_down, model(limits + R"(
        %d = DepthToSpace(%c) mode=blocks_first block_size=2
        %a = ReLU(%d)
        %q = FakeQuantize(%a, %l, %h, %ol, %oh) levels=256 output_type=u8
        %r = Result(%q))"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, model(limits + R"(
        %a = ReLU(%c)
        %q = FakeQuantize(%a, %l, %h, %ol, %oh) levels=256 output_type=u8
        %d = DepthToSpace(%q) mode=blocks_first block_size=2
        %r = Result(%d))")),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(MoveDepthToSpaceDown, RepeatsConstantsPerChannel) {
    const PassTest test = run_pass(move_depth_to_space_down, model(R"(
        %d = DepthToSpace(%c) mode=blocks_first block_size=2
        %k = Const value={0.5,2} : f32[1,2,1,1]
        %m = Multiply(%d, %k)
        %s = Const value={0.25,4} : f32[2]
        %p = PReLU(%m, %s)
        %r = Result(%p))"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, model(R"(
        %k = Const value={0.5,2,0.5,2,0.5,2,0.5,2} : f32[1,8,1,1]
        %m = Multiply(%c, %k)
        %s = Const value={0.25,4,0.25,4,0.25,4,0.25,4} : f32[1,8,1,1]
        %p = PReLU(%m, %s)
        %d = DepthToSpace(%p) mode=blocks_first block_size=2
        %r = Result(%d))")),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
    // An output is named after the layer that feeds it.
    EXPECT_EQ(test.after->output_name(0), "p");
}

TEST(MoveDepthToSpaceDown, OrdersBlocksFirst) {
    const PassTest test = run_pass(move_depth_to_space_down, model(R"(
        %b = Const value={1,2,3,4,5,6,7,8} : f32[1,8,1,1]
        %a = Add(%c, %b)
        %d = DepthToSpace(%a) mode=depth_first block_size=2
        %k = Const value={0.5,2} : f32[1,2,1,1]
        %m = Multiply(%d, %k)
        %r = Result(%m))"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->find_all("DepthToSpace").size(), 1u);
    EXPECT_THAT(test.after->to_text(), ::testing::HasSubstr("value={1,5,2,6,3,7,4,8}"));
    EXPECT_THAT(test.after->to_text(), ::testing::HasSubstr("blocks_first"));
    EXPECT_LT(largest_difference(test), 1e-6);
}

TEST(MoveDepthToSpaceDown, OrdersZeroPointsOfWeights) {
    const PassTest test = run_pass(move_depth_to_space_down, R"(model "m"
        %x = Parameter : u8[1,3,4,5]
        %w = Const value=random(1,-9,9) : i8[8,3,1,1]
        %z = Const value={1,2,3,4,5,6,7,8} : f32[8]
        %c = Convolution(%x, %w, _, %z) strides=[1,1] dilations=[1,1] : f32[1,8,4,5]
        %d = DepthToSpace(%c) mode=depth_first block_size=2
        %r = Result(%d))");
    EXPECT_TRUE(test.changed);
    EXPECT_THAT(test.after->to_text(), ::testing::HasSubstr("value={1,5,2,6,3,7,4,8}"));
    EXPECT_EQ(largest_difference(test), 0.0);
}

// Its integers go by its name, and are in another order.
TEST(MoveDepthToSpaceDown, TakesTheNameOfAFakeQuantizeThatIsReordered) {
    const PassTest test = run_pass(move_depth_to_space_down, model(R"(
        %l = Const value={-10} : f32[]
        %h = Const value={15.5} : f32[]
        %ol = Const value={0} : f32[]
        %oh = Const value={255} : f32[]
        %q = FakeQuantize(%c, %l, %h, %ol, %oh) levels=256 output_type=u8
        %d = DepthToSpace(%q) mode=depth_first block_size=2
        %r = Result(%d))"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->find("q"), nullptr);
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(MoveDepthToSpaceDown, LeavesResultsThatOthersRead) {
    EXPECT_FALSE(run_pass(move_depth_to_space_down, model(R"(
        %d = DepthToSpace(%c) mode=blocks_first block_size=2
        %a = ReLU(%d)
        %b = Sigmoid(%d)
        %r = Result(%a)
        %s = Result(%b))"))
                     .changed);
    EXPECT_FALSE(run_pass(move_depth_to_space_down, model(R"(
        %d = DepthToSpace(%c) mode=depth_first block_size=2
        %a = ReLU(%c)
        %r = Result(%d)
        %s = Result(%a))"))
                     .changed);
}

TEST(MoveDepthToSpaceDown, LeavesConstantsThatVaryInAPlane) {
    EXPECT_FALSE(run_pass(move_depth_to_space_down, model(R"(
        %d = DepthToSpace(%c) mode=blocks_first block_size=2
        %k = Const value=random(5,0,1) : f32[1,1,8,1]
        %m = Multiply(%d, %k)
        %r = Result(%m))"))
                     .changed);
}

}  // namespace
}  // namespace fuseq::testing
