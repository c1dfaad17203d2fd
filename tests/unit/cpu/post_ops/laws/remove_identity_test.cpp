// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// remove_identity: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

TEST(RemoveIdentity, RemovesWhatChangesNothing) {
    EXPECT_EQ(run(remove_identity, {Scale{1.0f}}), "-> f32");
    EXPECT_EQ(run(remove_identity, {Shift{0.0f}, Round{}}), "round -> f32");
    EXPECT_EQ(run(remove_identity, {Clip{-kInf, kInf}}), "-> f32");
    EXPECT_EQ(run(remove_identity, {Eltwise{EltwiseKind::kRelu, 1.0f}}), "-> f32");
    EXPECT_EQ(run(remove_identity, {Prelu{1.0f}}), "-> f32");
}

TEST(RemoveIdentity, KeepsTheRest) {
    EXPECT_EQ(run(remove_identity, {Scale{oc({1.0f, 2.0f})}, Shift{1.0f}, kRelu}), "nothing");
}

}  // namespace
}  // namespace fuseq::post_ops::laws
