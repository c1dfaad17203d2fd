// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/read_channels_at_origin.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

// Two blocks of a network with channel shuffles: half of the channels are moved on.
std::string shuffles(const std::string& rest) {
    return R"(model "m"
        %a = Parameter : u8[1,4,3,3]
        %b = Parameter : u8[1,4,3,3]
        %c = Parameter : u8[1,4,3,3]
        %one = Const value={1} : i64[]
        %mix = Const value={0,4,1,5,2,6,3,7} : i64[8]
        %back = Const value={0,-4,1,5,2,-2,3,7} : i64[8]
        %halves = Const value={4,4} : i64[2]
        %j1 = Concat(%a, %b) axis=1
        %s1 = Gather.8(%j1, %mix, %one)
        %h1 = VariadicSplit(%s1, %one, %halves)
        %j2 = Concat(%h1, %c) axis=-3
        %s2 = Gather.8(%j2, %back, %one))" +
           rest;
}

TEST(ReadChannelsAtOrigin, JoinsWhatTheLastReaderNeeds) {
    const PassTest test = run_pass(read_channels_at_origin, shuffles(R"(
        %n = ReLU(%s2)
        %r = Result(%n))"));
    EXPECT_TRUE(test.changed);
    // %j1, %s1, %h1, %j2 and %s2 moved 40 channels; what replaces them moves 20.
    EXPECT_EQ(differs_from(test, R"(model "m"
        %a = Parameter : u8[1,4,3,3]
        %b = Parameter : u8[1,4,3,3]
        %c = Parameter : u8[1,4,3,3]
        %one = Const value={1} : i64[]
        %ca = Const value={0,1} : i64[2]
        %oa = Const value={1} : i64[]
        %pa = Gather.8(%a, %ca, %oa)
        %cb = Const value={0,1} : i64[2]
        %ob = Const value={1} : i64[]
        %pb = Gather.8(%b, %cb, %ob)
        %join = Concat(%pa, %c, %pb) axis=1
        %order = Const value={0,2,6,3,1,4,7,5} : i64[8]
        %s2 = Gather.8(%join, %order, %one)
        %n = ReLU(%s2)
        %r = Result(%n))"),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(ReadChannelsAtOrigin, TakesAGatherThatExists) {
    const PassTest test = run_pass(read_channels_at_origin, shuffles(R"(
        %first = Const value={0,-3} : i64[2]
        %g = Gather.8(%b, %first, %one)
        %m = ReLU(%g)
        %n = ReLU(%s2)
        %r = Result(%n)
        %q = Result(%m))"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->find_all("Gather").size(), 3u);  // of %a, of %b, the order
    EXPECT_EQ(largest_difference(test), 0.0);
}

// Their origins would take 32 GB.
TEST(ReadChannelsAtOrigin, LeavesMoreThan65536Channels) {
    const PassTest test = run_pass(read_channels_at_origin, R"(model "m"
        %a = Parameter : u8[1,2000000000,1,1]
        %b = Parameter : u8[1,4,1,1]
        %one = Const value={1} : i64[]
        %few = Const value={0,2000000001,1,2000000002} : i64[4]
        %halves = Const value={2,2} : i64[2]
        %j = Concat(%a, %b) axis=1
        %g = Gather.8(%j, %few, %one)
        %h = VariadicSplit(%g, %one, %halves)
        %n = ReLU(%h)
        %r = Result(%n))");
    EXPECT_FALSE(test.changed);
}

TEST(ReadChannelsAtOrigin, LeavesWhatOthersRead) {
    for (const char* other : {"%h1:1", "%s1", "%j2"}) {
        const PassTest test = run_pass(read_channels_at_origin, shuffles(std::string(R"(
        %n = ReLU(%s2)
        %m = ReLU()") + other + R"()
        %r = Result(%n)
        %q = Result(%m))"));
        EXPECT_FALSE(test.changed) << other;
    }
}

TEST(ReadChannelsAtOrigin, LeavesAResult) {
    const PassTest test = run_pass(read_channels_at_origin, shuffles("\n%r = Result(%s2)"));
    EXPECT_FALSE(test.changed);
}

TEST(ReadChannelsAtOrigin, LeavesShortChainsAndOtherAxes) {
    for (const char* gather : {"%order, %one", "%rows, %two"}) {
        const PassTest test = run_pass(read_channels_at_origin, std::string(R"(model "m"
            %a = Parameter : u8[1,2,3,3]
            %b = Parameter : u8[1,2,3,3]
            %one = Const value={1} : i64[]
            %two = Const value={2} : i64[]
            %order = Const value={0,2,1,3} : i64[4]
            %rows = Const value={2,0,1} : i64[3]
            %j = Concat(%a, %b) axis=1
            %g = Gather.8(%j, )") + gather + R"()
            %n = ReLU(%g)
            %r = Result(%n))");
        EXPECT_FALSE(test.changed) << gather;
    }
}

TEST(ReadChannelsAtOrigin, LeavesAGatherOfNoChannels) {
    const PassTest test = run_pass(read_channels_at_origin, R"(model "m"
        %a = Parameter : u8[1,4,3,3]
        %one = Const value={1} : i64[]
        %none = Const value={} : i64[0]
        %g = Gather.8(%a, %none, %one)
        %n = ReLU(%g)
        %r = Result(%n))");
    EXPECT_FALSE(test.changed);
}

TEST(ReadChannelsAtOrigin, SharesGathersOfTheSameChannels) {
    const PassTest test = run_pass(read_channels_at_origin, R"(model "m"
        %a = Parameter : u8[1,4,3,3]
        %one = Const value={1} : i64[]
        %x = Const value={1,3} : i64[2]
        %y = Const value={1,-1} : i64[2]
        %z = Const value={3,1} : i64[2]
        %gx = Gather.8(%a, %x, %one)
        %gy = Gather.8(%a, %y, %one)
        %gz = Gather.8(%a, %z, %one)
        %nx = ReLU(%gx)
        %ny = ReLU(%gy)
        %nz = ReLU(%gz)
        %rx = Result(%nx)
        %ry = Result(%ny)
        %rz = Result(%nz))");
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->find_all("Gather").size(), 2u);
    EXPECT_EQ(largest_difference(test), 0.0);
}

}  // namespace
}  // namespace fuseq::testing
