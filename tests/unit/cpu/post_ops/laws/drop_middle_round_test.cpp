// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// drop_middle_round: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

TEST(DropMiddleRound, OnlyWhenAsked) {
    const Ops ops{Round{}, Clip{0.0f, 255.0f}, Scale{0.5f}, kAdd};
    EXPECT_EQ(run(drop_middle_round, ops, u8, {.drop_middle_rounds = true}),
              "clip(0,255) scale(0.5) add(#0 u8 *0.5) -> u8");
    EXPECT_EQ(run(drop_middle_round, ops, u8),
              "refused: a rounding in the middle of a chain stays, drop_middle_rounds is off");
    EXPECT_EQ(run(drop_middle_round, ops, f32, {.drop_middle_rounds = true}),
              "refused: the last rounding is the result");
}

}  // namespace
}  // namespace fuseq::post_ops::laws
