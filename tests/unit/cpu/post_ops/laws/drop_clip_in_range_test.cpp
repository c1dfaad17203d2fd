// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// drop_clip_in_range: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

TEST(DropClipInRange, FollowsTheRange) {
    EXPECT_EQ(run(drop_clip_in_range, {Eltwise{EltwiseKind::kSigmoid}, Clip{0.0f, 1.0f}}),
              "sigmoid -> f32");
    EXPECT_EQ(run(drop_clip_in_range, {Clip{2.0f, 6.0f}, Shift{-1.0f}, kRelu}),
              "clip(2,6) shift(-1) -> f32");
    EXPECT_EQ(run(drop_clip_in_range, {kRelu, Prelu{oc({0.1f, 0.2f})}}), "relu -> f32");
    EXPECT_EQ(
        run(drop_clip_in_range, {Scale{0.5f}, kRelu}, f32, {.input_low = 0.0, .input_high = 255.0}),
        "scale(0.5) -> f32");
    EXPECT_EQ(run(drop_clip_in_range, {kRelu, kAdd, kRelu}), "relu add(#0 u8 *0.5) -> f32");
}

TEST(DropClipInRange, KeepsWhatMayClip) {
    EXPECT_EQ(run(drop_clip_in_range, {kRelu, Scale{-1.0f}, kRelu}), "nothing");
    EXPECT_EQ(run(drop_clip_in_range, {kRelu, Binary{BinaryKind::kAdd, 0, i8, 0.5f}, kRelu}),
              "nothing");
    EXPECT_EQ(run(drop_clip_in_range, {Eltwise{EltwiseKind::kSigmoid}, Clip{0.1f, 1.0f}}),
              "nothing");
}

}  // namespace
}  // namespace fuseq::post_ops::laws
