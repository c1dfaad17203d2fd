// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// join_clips: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

TEST(JoinClips, ClipsTheBounds) {
    EXPECT_EQ(run(join_clips, {kRelu, Clip{-1.0f, 6.0f}}), "clip(0,6) -> f32");
    EXPECT_EQ(run(join_clips, {Clip{-1.0f, 6.0f}, kRelu}), "clip(0,6) -> f32");
    EXPECT_EQ(run(join_clips, {Clip{5.0f, 9.0f}, Clip{0.0f, 4.0f}}), "clip(4,4) -> f32");
    EXPECT_EQ(run(join_clips, {kRelu, kRelu}), "relu -> f32");
    EXPECT_EQ(run(join_clips, {Eltwise{EltwiseKind::kRelu, 0.1f}, Clip{0.0f, 4.0f}}), "nothing");
}

}  // namespace
}  // namespace fuseq::post_ops::laws
