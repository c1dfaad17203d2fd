// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// clip_over_shift: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

using ::testing::HasSubstr;

const Clip kQuantizer{0.0f, 255.0f};

TEST(ClipOverShift, JoinsTheClipOfTheQuantizer) {
    EXPECT_EQ(run(clip_over_shift, {Round{}, kQuantizer, Shift{-128.0f}, kRelu}, i8),
              "round clip(128,255) shift(-128) -> i8");
    EXPECT_EQ(run(clip_over_shift, {Round{}, kQuantizer, Shift{-100.0f}, Clip{-50.0f, 20.0f}}),
              "round clip(50,120) shift(-100) -> f32");
    EXPECT_EQ(
        run(clip_over_shift, {Round{}, kQuantizer, Shift{3.0f}, Clip{oc({4.0f, 5.0f}), 9.0f}}),
        "refused: the second clip is per-channel and would make the first one so");
}

// A second clip that leaves nothing of the first one: all values are its nearer bound.
TEST(ClipOverShift, ClipsTheBounds) {
    EXPECT_EQ(run(clip_over_shift, {Round{}, kQuantizer, Shift{-300.0f}, kRelu}, i8),
              "round clip(300,300) shift(-300) -> i8");
}

TEST(ClipOverShift, Refuses) {
    EXPECT_THAT(
        run(clip_over_shift, {Round{}, kQuantizer, Shift{-128.0f}, Clip{0.1f, 6.0f}}),
        HasSubstr("refused: a bound of the second clip less the shift does not fit a float"));
    // Without a round shift_over_clip and join_clips do it.
    EXPECT_EQ(run(clip_over_shift, {kQuantizer, Shift{-128.0f}, kRelu}), "nothing");
    EXPECT_EQ(run(clip_over_shift, {Round{}, kQuantizer, Shift{oc({1.0f, 2.0f})}, kRelu}),
              "nothing");
    EXPECT_EQ(run(clip_over_shift,
                  {Round{}, kQuantizer, Shift{-128.0f}, Eltwise{EltwiseKind::kRelu, 0.1f}}),
              "nothing");
}

}  // namespace
}  // namespace fuseq::post_ops::laws
