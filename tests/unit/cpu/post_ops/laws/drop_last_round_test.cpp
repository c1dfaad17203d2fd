// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// drop_last_round: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

using ::testing::HasSubstr;

TEST(DropLastRound, TheStoreRounds) {
    EXPECT_EQ(run(drop_last_round, {Scale{2.0f}, Round{}}, u8), "scale(2) -> u8");
    EXPECT_EQ(run(drop_last_round, {Round{}, Clip{0.0f, 15.0f}}, u8), "clip(0,15) -> u8");
    EXPECT_EQ(run(drop_last_round, {Round{}, kRelu}, i8), "relu -> i8");
}

TEST(DropLastRound, Refuses) {
    EXPECT_THAT(run(drop_last_round, {Round{}, Clip{0.5f, 15.0f}}, u8),
                HasSubstr("refused: the clip after the last round has a bound"));
    EXPECT_EQ(run(drop_last_round, {Round{}}, f32), "nothing");
    EXPECT_EQ(run(drop_last_round, {Round{}, Scale{2.0f}}, u8), "nothing");
}

}  // namespace
}  // namespace fuseq::post_ops::laws
