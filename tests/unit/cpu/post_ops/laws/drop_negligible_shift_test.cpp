// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// drop_negligible_shift: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

constexpr SimplifyOptions kAsked{.drop_middle_rounds = true};

TEST(DropNegligibleShift, BeforeARounding) {
    EXPECT_EQ(run(drop_negligible_shift, {Shift{0.0005f}, Round{}, kRelu}, f32, kAsked),
              "round relu -> f32");
    EXPECT_EQ(run(drop_negligible_shift, {kTanh, Shift{oc({0.0005f, -0.0009f})}}, u8, kAsked),
              "tanh -> u8");
    // Not rounded: the shift is part of the result.
    EXPECT_EQ(run(drop_negligible_shift, {kTanh, Shift{0.0005f}}, f32, kAsked), "nothing");
    EXPECT_EQ(run(drop_negligible_shift, {Shift{0.0005f}, kTanh}, u8, kAsked), "nothing");
}

TEST(DropNegligibleShift, OfAllChannels) {
    EXPECT_EQ(run(drop_negligible_shift, {Shift{oc({0.0005f, 0.001f})}, Round{}}, f32, kAsked),
              "nothing");
}

TEST(DropNegligibleShift, OnlyWhenAsked) {
    EXPECT_EQ(run(drop_negligible_shift, {Shift{0.0005f}, Round{}}, f32),
              "refused: a shift of 0.0005 steps stays, drop_middle_rounds is off");
}

}  // namespace
}  // namespace fuseq::post_ops::laws
