// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// fold_shifts: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

using ::testing::HasSubstr;

TEST(FoldShifts, Adds) {
    EXPECT_EQ(run(fold_shifts, {Shift{2.0f}, Shift{-0.5f}}), "shift(1.5) -> f32");
    EXPECT_THAT(run(fold_shifts, {Shift{3e38f}, Shift{3e38f}}), HasSubstr("does not fit a float"));
}

}  // namespace
}  // namespace fuseq::post_ops::laws
