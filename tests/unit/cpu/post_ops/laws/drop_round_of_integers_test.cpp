// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// drop_round_of_integers: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

TEST(DropRoundOfIntegers, FollowsIntegers) {
    EXPECT_EQ(run(drop_round_of_integers,
                  {Round{}, Clip{0.0f, 255.0f}, Shift{-128.0f}, kRelu, Round{}, Scale{0.5f}}),
              "round clip(0,255) shift(-128) relu scale(0.5) -> f32");
    EXPECT_EQ(run(drop_round_of_integers, {Round{}, Shift{0.5f}, Round{}}), "nothing");
    EXPECT_EQ(run(drop_round_of_integers, {Round{}, kTanh, Round{}}), "nothing");
    EXPECT_EQ(run(drop_round_of_integers, {Round{}, kAdd, Round{}}), "nothing");
}

}  // namespace
}  // namespace fuseq::post_ops::laws
