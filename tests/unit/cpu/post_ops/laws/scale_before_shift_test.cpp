// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// scale_before_shift: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

using ::testing::HasSubstr;

TEST(ScaleBeforeShift, Distributes) {
    EXPECT_EQ(run(scale_before_shift, {Shift{3.0f}, Scale{2.0f}}, u8), "scale(2) shift(6) -> u8");
    EXPECT_EQ(run(scale_before_shift, {Shift{-1000.0f}, Scale{255.0f}}, f32),
              "scale(255) shift(-255000) -> f32");
}

TEST(ScaleBeforeShift, RefusesWhenStepsWouldBeLost) {
    EXPECT_THAT(run(scale_before_shift, {Shift{-1000.0f}, Scale{255.0f}}, u8),
                HasSubstr("refused: the range begins 255000 steps from zero"));
    EXPECT_THAT(run(scale_before_shift, {Shift{-1000.0f}, Scale{255.0f}, Round{}}, f32),
                HasSubstr("refused: the range begins"));
    EXPECT_THAT(run(scale_before_shift, {Shift{1e30f}, Scale{1e30f}}),
                HasSubstr("shift times scale does not fit"));
}

}  // namespace
}  // namespace fuseq::post_ops::laws
