// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"
#include "transformations/low_precision/dequantize_text.hpp"
#include "transformations/low_precision/move_dequantize_down.hpp"

namespace fuseq::testing {
namespace {

using ::testing::StartsWith;

std::string blocks(const std::string& source, const std::string& pads) {
    return model(source + "%b = Const value={1,1,2,2} : i64[4]\n%p = Const value={0,0," + pads +
                 "} : i64[4]\n%y = SpaceToBatch(%x, %b, %p, %p)");
}

TEST(MoveThroughSpaceToBatch, MovesWhereZeroIsZero) {
    const PassTest padded =
        run_pass(move_dequantize_down, blocks(dq("x", "u8[1,2,4,4]", "0.5", ""), "1,2"));
    EXPECT_TRUE(padded.changed);
    EXPECT_EQ(padded.after->find("y")->output().type(), ElementType::u8);
    EXPECT_EQ(largest_difference(padded), 0.0);
    const PassTest shifted =
        run_pass(move_dequantize_down, blocks(dq("x", "u8[1,2,4,4]", "0.5", "10"), "0,0"));
    EXPECT_TRUE(shifted.changed);
    EXPECT_EQ(largest_difference(shifted), 0.0);
}

TEST(MoveThroughSpaceToBatch, RefusesPadsThatAreNotZero) {
    const PassTest test =
        run_pass(move_dequantize_down, blocks(dq("x", "u8[1,2,4,4]", "0.5", "10"), "1,1"));
    EXPECT_FALSE(test.changed);
    EXPECT_THAT(refusal_at(test.context, "y"), StartsWith("pad_value: "));
}

TEST(MoveThroughSpaceToBatch, RefusesScalesPerChannel) {
    const PassTest test = run_pass(
        move_dequantize_down, blocks(dq("x", "u8[1,2,4,4]", "0.5,1", "", "f32[1,2,1,1]"), "0,0"));
    EXPECT_THAT(refusal_at(test.context, "y"), StartsWith("per_channel_scale: "));
}

}  // namespace
}  // namespace fuseq::testing
