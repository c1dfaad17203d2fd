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

const char* const kChannels = "f32[1,2,1,1]";

TEST(MoveThroughAverage, AveragePoolReadsIntegers) {
    const PassTest test = run_pass(
        move_dequantize_down,
        model(dq("x", "u8[1,2,4,4]", "0.5,2", "3,1.25", kChannels) +
              "%y = AvgPool(%x) strides=[2,2] kernel=[3,3] pads_begin=[1,1] pads_end=[1,1] "
              "exclude-pad=true"));
    const Node* pool = test.after->find("y");
    EXPECT_EQ(pool->input(0).type(), element::u8);
    EXPECT_EQ(pool->port().type, element::f32);
    EXPECT_EQ(pool->port().uses.at(0).node->type(), "Subtract");
    EXPECT_LT(largest_difference(test), 1e-4);
}

TEST(MoveThroughAverage, PaddingMayCountForAZeroPointOfZero) {
    const std::string pool =
        "%y = AvgPool(%x) strides=[2,2] kernel=[3,3] pads_begin=[1,1] pads_end=[1,1] "
        "exclude-pad=false";
    const PassTest moved =
        run_pass(move_dequantize_down, model(dq("x", "u8[1,2,4,4]", "0.5", "") + pool));
    EXPECT_TRUE(moved.changed);
    EXPECT_LT(largest_difference(moved), 1e-4);
    const PassTest kept =
        run_pass(move_dequantize_down, model(dq("x", "u8[1,2,4,4]", "0.5", "3") + pool));
    EXPECT_FALSE(kept.changed);
    EXPECT_THAT(refusal_at(kept.context, "y"), StartsWith("padding_counts: "));
}

TEST(MoveThroughAverage, ADilatedAverageReadsIntegers) {
    const std::string pool =
        "%y = AvgPool.16(%x) strides=[2,2] kernel=[2,2] dilations=[3,1] pads_begin=[1,0] "
        "pads_end=[1,0] exclude-pad=true";
    const PassTest moved =
        run_pass(move_dequantize_down, model(dq("x", "u8[1,2,4,4]", "0.5", "3") + pool));
    EXPECT_TRUE(moved.changed);
    EXPECT_EQ(moved.after->find("y")->input(0).type(), element::u8);
    EXPECT_LT(largest_difference(moved), 1e-4);
    // Of two rows, taps at -1 and 2 meet none.
    const PassTest kept =
        run_pass(move_dequantize_down, model(dq("x", "u8[1,2,2,4]", "0.5", "3") + pool));
    EXPECT_FALSE(kept.changed);
    EXPECT_THAT(refusal_at(kept.context, "y"), StartsWith("window_in_padding: "));
}

// Rounding up adds a third window a row, that begins after the last of three elements.
TEST(MoveThroughAverage, RefusesWindowsInPaddingAlone) {
    const std::string pool =
        "%y = AvgPool(%x) strides=[2,2] kernel=[2,2] pads_begin=[1,1] pads_end=[1,1] "
        "exclude-pad=true rounding_type=ceil";
    const PassTest kept =
        run_pass(move_dequantize_down, model(dq("x", "u8[1,2,4,3]", "0.5", "3") + pool));
    EXPECT_FALSE(kept.changed);
    EXPECT_THAT(refusal_at(kept.context, "y"), StartsWith("window_in_padding: "));
    for (const char* moves : {"u8[1,2,4,4]", "u8[1,2,4,3]"}) {
        const std::string zero = std::string(moves) == "u8[1,2,4,4]" ? "3" : "";
        const PassTest moved =
            run_pass(move_dequantize_down, model(dq("x", moves, "0.5", zero) + pool));
        EXPECT_TRUE(moved.changed) << moves;
        EXPECT_LT(largest_difference(moved), 1e-4) << moves;
    }
}

TEST(MoveThroughAverage, MeanReadsIntegers) {
    const PassTest test =
        run_pass(move_dequantize_down,
                 model(dq("x", "i8[1,2,4,4]", "0.5,2", "3,1.25", kChannels) +
                       "%a = Const value={2,3} : i64[2]\n%y = ReduceMean(%x, %a) keep_dims=false"));
    const Node* mean = test.after->find("y");
    EXPECT_EQ(mean->input(0).type(), element::i8);
    EXPECT_EQ(mean->port().type, element::f32);
    EXPECT_EQ(mean->port().uses.at(0).node->input(1).shape(), (Shape{1, 2}));
    EXPECT_LT(largest_difference(test), 1e-4);
}

TEST(MoveThroughAverage, RefusesToAverageDifferentScales) {
    const PassTest test =
        run_pass(move_dequantize_down,
                 model(dq("x", "i8[1,2,4,4]", "0.5,2", "", kChannels) +
                       "%a = Const value={1} : i64[1]\n%y = ReduceMean(%x, %a) keep_dims=true"));
    EXPECT_FALSE(test.changed);
    EXPECT_THAT(refusal_at(test.context, "y"), StartsWith("channel_dimension: "));
}

}  // namespace
}  // namespace fuseq::testing
