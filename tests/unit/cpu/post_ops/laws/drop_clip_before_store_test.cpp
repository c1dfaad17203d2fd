// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// drop_clip_before_store: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

TEST(DropClipBeforeStore, TheStoreSaturates) {
    EXPECT_EQ(run(drop_clip_before_store, {kRelu}, u8), "-> u8");
    EXPECT_EQ(run(drop_clip_before_store, {Clip{-128.0f, 127.0f}}, i8), "-> i8");
    EXPECT_EQ(run(drop_clip_before_store, {Clip{-5.0f, 255.2f}}, u8), "-> u8");
    EXPECT_EQ(run(drop_clip_before_store, {Clip{0.0f, 127.0f}}, i8), "relu -> i8");
    EXPECT_EQ(run(drop_clip_before_store, {kRelu}, i8),
              "refused: clip to [0, inf] is narrower than i8");
    EXPECT_EQ(run(drop_clip_before_store, {Clip{0.0f, 254.4f}}, u8),
              "refused: clip to [0, 254.4] is narrower than u8");
    EXPECT_EQ(run(drop_clip_before_store, {kRelu}, f32), "nothing");
}

}  // namespace
}  // namespace fuseq::post_ops::laws
