// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// shift_over_binary: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

using ::testing::HasSubstr;

TEST(ShiftOverBinary, OnlyOverAdd) {
    EXPECT_EQ(run(shift_over_binary, {kAdd, Shift{oc({1.0f, 2.0f})}}),
              "shift(per_oc:2) add(#0 u8 *0.5) -> f32");
    EXPECT_THAT(run(shift_over_binary, {Binary{BinaryKind::kMul, 0, u8}, Shift{1.0f}}),
                HasSubstr("refused: a shift after mul(#0 u8) does not commute"));
}

}  // namespace
}  // namespace fuseq::post_ops::laws
