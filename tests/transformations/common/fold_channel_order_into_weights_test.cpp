// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/fold_channel_order_into_weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

std::string model(const std::string& gather, const std::string& rest) {
    return R"(model "m"
        %x = Parameter : u8[1,2,2,3]
        %order = Const value={2,0,1} : i64[3]
        %axis = Const value={-1} : i64[]
        %hwc = Const value={0,3,1,2} : i64[4]
        %mean = Const value={1,2,3} : f32[1,1,1,3]
        %limits = Const value={10,20,30} : f32[1,3,1,1]
        %zero = Const value={0} : f32[]
        %w = Const value={1,2,3,4,5,6} : f32[2,3,1,1]
        %g = )" +
           gather + rest;
}

constexpr const char* kChain = R"(
        %f = Convert(%g) destination_type=f32
        %s = Subtract(%f, %mean)
        %t = Transpose(%s, %hwc)
        %q = FakeQuantize(%t, %zero, %limits, %zero, %limits) levels=256
        %y = Convolution(%q, %w) strides=[1,1] pads_begin=[0,0] pads_end=[0,0] dilations=[1,1]
        %r = Result(%y))";

// Channel c of the Gather is channel 2, 0, 1 of x: channel 0, 1, 2 of x is 1, 2, 0 of the Gather.
TEST(FoldChannelOrderIntoWeights, PermutesEveryConstantOnTheWay) {
    const PassTest test =
        run_pass(fold_channel_order_into_weights, model("Gather.8(%x, %order, %axis)", kChain));
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : u8[1,2,2,3]
        %hwc = Const value={0,3,1,2} : i64[4]
        %mean = Const value={2,3,1} : f32[1,1,1,3]
        %limits = Const value={20,30,10} : f32[1,3,1,1]
        %limits2 = Const value={20,30,10} : f32[1,3,1,1]
        %zero = Const value={0} : f32[]
        %w = Const value={2,3,1,5,6,4} : f32[2,3,1,1]
        %f = Convert(%x) destination_type=f32
        %s = Subtract(%f, %mean)
        %t = Transpose(%s, %hwc)
        %q = FakeQuantize(%t, %zero, %limits, %zero, %limits2) levels=256
        %y = Convolution(%q, %w) strides=[1,1] pads_begin=[0,0] pads_end=[0,0] dilations=[1,1]
        %r = Result(%y))"),
              "");
    EXPECT_LT(largest_difference(test), 1e-4);
}

TEST(FoldChannelOrderIntoWeights, PermutesQuantizedWeights) {
    const PassTest test = run_pass(fold_channel_order_into_weights, R"(model "m"
        %x = Parameter : f32[1,3,2,2]
        %order = Const value={2,1,0} : i64[3]
        %axis = Const value={1} : i64[]
        %g = Gather.8(%x, %order, %axis)
        %w = Const value={1,2,3,4,5,6} : i8[2,3,1,1]
        %wf = Convert(%w) destination_type=f32
        %zp = Const value={1,2} : f32[2,1,1,1]
        %wz = Subtract(%wf, %zp)
        %scale = Const value={0.5,0.25} : f32[2,1,1,1]
        %ws = Multiply(%wz, %scale)
        %y = Convolution(%g, %ws) strides=[1,1] pads_begin=[0,0] pads_end=[0,0] dilations=[1,1]
        %r = Result(%y))");
    EXPECT_EQ(test.after->find_all("Gather").size(), 0u);
    EXPECT_EQ(largest_difference(test), 0);
}

TEST(FoldChannelOrderIntoWeights, RefusesWhatIsReadElsewhere) {
    const PassTest test = run_pass(
        fold_channel_order_into_weights,
        model("Gather.8(%x, %order, %axis)", std::string(kChain) + "\n        %r2 = Result(%s)"));
    EXPECT_THAT(refusal_at(test.context, "g"), ::testing::StartsWith("read_by_others: "));
    EXPECT_EQ(test.after->find_all("Gather").size(), 1u);
}

TEST(FoldChannelOrderIntoWeights, RefusesWhatMixesChannels) {
    const PassTest test =
        run_pass(fold_channel_order_into_weights, model("Gather.8(%x, %order, %axis)", R"(
        %f = Convert(%g) destination_type=f32
        %s = SoftMax(%f) axis=3
        %r = Result(%s))"));
    EXPECT_THAT(refusal_at(test.context, "g"), ::testing::StartsWith("no_convolution: "));
}

TEST(FoldChannelOrderIntoWeights, RefusesWeightsThatAreComputed) {
    const PassTest test = run_pass(fold_channel_order_into_weights, R"(model "m"
        %x = Parameter : f32[1,3,2,2]
        %w = Parameter : f32[2,3,1,1]
        %order = Const value={2,1,0} : i64[3]
        %axis = Const value={1} : i64[]
        %g = Gather.8(%x, %order, %axis)
        %y = Convolution(%g, %w) strides=[1,1] pads_begin=[0,0] pads_end=[0,0] dilations=[1,1]
        %r = Result(%y))");
    EXPECT_THAT(refusal_at(test.context, "g"), ::testing::StartsWith("computed_weights: "));
}

// Not every channel once, or not along one dimension.
TEST(FoldChannelOrderIntoWeights, LeavesOtherGathers) {
    for (const char* indices : {"{2,2,1} : i64[3]", "{2,1} : i64[2]", "{0,1,7} : i64[3]"}) {
        const PassTest test = run_pass(fold_channel_order_into_weights, std::string(R"(model "m"
        %x = Parameter : f32[1,3,2,2]
        %order = Const value=)") + indices + R"(
        %axis = Const value={1} : i64[]
        %g = Gather.8(%x, %order, %axis)
        %r = Result(%g))");
        EXPECT_EQ(test.after->find_all("Gather").size(), 1u) << indices;
        EXPECT_EQ(refusal_at(test.context, "g"), "") << indices;
    }
}

}  // namespace
}  // namespace fuseq::testing
