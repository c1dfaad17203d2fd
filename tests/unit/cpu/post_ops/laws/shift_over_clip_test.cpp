// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// shift_over_clip: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

using ::testing::HasSubstr;

TEST(ShiftOverClip, ShiftsTheBounds) {
    EXPECT_EQ(run(shift_over_clip, {Clip{0.0f, 6.0f}, Shift{2.0f}}), "shift(2) clip(2,8) -> f32");
    EXPECT_EQ(run(shift_over_clip, {kRelu, Shift{3.0f}}), "shift(3) clip(3,inf) -> f32");
}

TEST(ShiftOverClip, Refuses) {
    EXPECT_THAT(run(shift_over_clip, {Round{}, Clip{0.0f, 255.0f}, Shift{-1.0f}}),
                HasSubstr("refused: the clip belongs to a quantizer"));
    EXPECT_THAT(run(shift_over_clip, {kRelu, Shift{oc({1.0f, 2.0f})}}),
                HasSubstr("would make the clip per-channel"));
    EXPECT_EQ(run(shift_over_clip, {Eltwise{EltwiseKind::kRelu, 0.1f}, Shift{1.0f}}), "nothing");
}

}  // namespace
}  // namespace fuseq::post_ops::laws
