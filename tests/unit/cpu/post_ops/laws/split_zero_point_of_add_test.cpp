// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// split_zero_point_of_add: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

using ::testing::HasSubstr;

TEST(SplitZeroPointOfAdd, MakesAShift) {
    EXPECT_EQ(run(split_zero_point_of_add, {Binary{BinaryKind::kAdd, 0, u8, 0.5f, 128.0f}}),
              "shift(-64) add(#0 u8 *0.5) -> f32");
}

TEST(SplitZeroPointOfAdd, OnlyForAdd) {
    EXPECT_EQ(run(split_zero_point_of_add, {Binary{BinaryKind::kMul, 0, u8, 0.5f, 128.0f}}),
              "nothing");
    EXPECT_THAT(run(split_zero_point_of_add, {Binary{BinaryKind::kAdd, 0, u8, 1e38f, 128.0f}}),
                HasSubstr("refused: zero point times scale of input #0 does not fit"));
}

}  // namespace
}  // namespace fuseq::post_ops::laws
