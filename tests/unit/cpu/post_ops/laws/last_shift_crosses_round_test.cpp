// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// last_shift_crosses_round: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

using ::testing::HasSubstr;

TEST(LastShiftCrossesRound, JoinsTheInputShift) {
    EXPECT_EQ(run(last_shift_crosses_round, {Round{}, Clip{0.0f, 255.0f}, Shift{-128.0f}}, i8),
              "shift(-128) round clip(-128,127) -> i8");
    EXPECT_EQ(run(last_shift_crosses_round, {Round{}, Shift{3.0f}}, u8), "shift(3) round -> u8");
    EXPECT_EQ(run(last_shift_crosses_round, {Round{}, Shift{oc({3.0f, 4.0f})}}, u8),
              "shift(per_oc:2) round -> u8");
}

TEST(LastShiftCrossesRound, Refuses) {
    EXPECT_THAT(run(last_shift_crosses_round, {Round{}, Clip{0.0f, 255.0f}, Shift{0.5f}}, u8),
                HasSubstr("refused: the last shift is 0.5 in channel 0, which is not an integer"));
    EXPECT_THAT(
        run(last_shift_crosses_round, {Round{}, Clip{0.0f, 9.0f}, Shift{oc({1.0f, 2.0f})}}, u8),
        HasSubstr("would make the clip per-channel"));
    // In the middle of a chain, or before a real store, ties would be seen.
    EXPECT_EQ(run(last_shift_crosses_round, {Round{}, Shift{3.0f}, kRelu}, u8), "nothing");
    EXPECT_EQ(run(last_shift_crosses_round, {Round{}, Shift{3.0f}}, f32), "nothing");
}

}  // namespace
}  // namespace fuseq::post_ops::laws
