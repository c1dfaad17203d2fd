// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// scale_over_binary: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

using ::testing::HasSubstr;

TEST(ScaleOverBinary, ScalesBothSides) {
    EXPECT_EQ(run(scale_over_binary, {kAdd, Scale{4.0f}}), "scale(4) add(#0 u8 *2) -> f32");
    EXPECT_EQ(
        run(scale_over_binary, {Binary{BinaryKind::kMul, 0, u8, 0.5f}, Scale{oc({4.0f, 1.0f})}}),
        "scale(per_oc:2) mul(#0 u8 *0.5) -> f32");
    EXPECT_EQ(run(scale_over_binary, {Binary{BinaryKind::kMax, 0, u8, 0.5f}, Scale{4.0f}}),
              "scale(4) max(#0 u8 *2) -> f32");
}

TEST(ScaleOverBinary, Refuses) {
    EXPECT_THAT(run(scale_over_binary, {kAdd, Scale{oc({4.0f, 1.0f})}}),
                HasSubstr("refused: the scale is per-channel and input #0 has one scale"));
    EXPECT_THAT(run(scale_over_binary, {Binary{BinaryKind::kMax, 0, u8, 0.5f}, Scale{-4.0f}}),
                HasSubstr("refused: scale -4 after max"));
    EXPECT_THAT(run(scale_over_binary, {kAdd, Scale{0.0f}}), HasSubstr("refused: scale 0"));
}

}  // namespace
}  // namespace fuseq::post_ops::laws
