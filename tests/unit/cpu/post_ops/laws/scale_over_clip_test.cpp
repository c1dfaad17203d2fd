// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// scale_over_clip: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

using ::testing::HasSubstr;

TEST(ScaleOverClip, ScalesTheBounds) {
    EXPECT_EQ(run(scale_over_clip, {Clip{0.0f, 6.0f}, Scale{2.0f}}), "scale(2) clip(0,12) -> f32");
    EXPECT_EQ(run(scale_over_clip, {Clip{-1.0f, 6.0f}, Scale{-2.0f}}),
              "scale(-2) clip(-12,2) -> f32");
    EXPECT_EQ(run(scale_over_clip, {Clip{0.0f, kInf}, Scale{oc({2.0f, 3.0f})}}),
              "scale(per_oc:2) clip(0,inf) -> f32");
}

TEST(ScaleOverClip, Refuses) {
    EXPECT_THAT(run(scale_over_clip, {Round{}, Clip{0.0f, 255.0f}, Scale{0.5f}}),
                HasSubstr("refused: the clip belongs to a quantizer"));
    EXPECT_THAT(run(scale_over_clip, {Clip{0.0f, 6.0f}, Scale{oc({2.0f, 3.0f})}}),
                HasSubstr("would make the clip per-channel"));
    EXPECT_THAT(run(scale_over_clip, {Clip{0.0f, 1e30f}, Scale{1e30f}}), HasSubstr("does not fit"));
}

}  // namespace
}  // namespace fuseq::post_ops::laws
