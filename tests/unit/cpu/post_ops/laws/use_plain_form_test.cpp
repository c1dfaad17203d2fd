// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// use_plain_form: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

using ::testing::HasSubstr;

TEST(UsePlainForm, WritesActivationsAsLinesAndClips) {
    EXPECT_EQ(run(use_plain_form, {Eltwise{EltwiseKind::kHardSigmoid, 0.2f, 0.5f, 3.0f}}),
              "scale(0.2) shift(0.5) clip(0,1) scale(3) -> f32");
    EXPECT_THAT(run(use_plain_form, {Eltwise{EltwiseKind::kHsigmoid}}),
                HasSubstr("shift(0.5) clip(0,1) scale(1)"));
    EXPECT_EQ(run(use_plain_form, {Eltwise{EltwiseKind::kRelu, 0.1f, 0.0f, 2.0f}}),
              "scale(2) relu(0.1) -> f32");
    EXPECT_EQ(run(use_plain_form, {Prelu{0.25f}}), "relu(0.25) -> f32");
    EXPECT_EQ(run(use_plain_form, {Eltwise{EltwiseKind::kPower, 3.0f, 1.0f}}),
              "scale(3) scale(1) -> f32");
}

TEST(UsePlainForm, KeepsANegativeScaleOfARelu) {
    EXPECT_EQ(run(use_plain_form, {Eltwise{EltwiseKind::kRelu, 0.0f, 0.0f, -2.0f}}), "nothing");
    EXPECT_EQ(run(use_plain_form, {Eltwise{EltwiseKind::kPower, 3.0f, 2.0f}}), "nothing");
}

}  // namespace
}  // namespace fuseq::post_ops::laws
