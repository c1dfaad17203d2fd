// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// scale_over_relu: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

TEST(ScaleOverRelu, MovesPositiveScales) {
    EXPECT_EQ(run(scale_over_relu, {kRelu, Scale{0.5f}}), "scale(0.5) relu -> f32");
    EXPECT_EQ(run(scale_over_relu, {Eltwise{EltwiseKind::kRelu, 0.1f}, Scale{oc({0.5f, 0.0f})}}),
              "scale(per_oc:2) relu(0.1) -> f32");
    EXPECT_EQ(run(scale_over_relu, {Prelu{oc({0.1f, 0.2f})}, Scale{2.0f}}),
              "scale(2) prelu(per_oc:2) -> f32");
    EXPECT_EQ(run(scale_over_relu, {Eltwise{EltwiseKind::kAbs}, Scale{2.0f}}),
              "scale(2) abs -> f32");
}

TEST(ScaleOverRelu, RefusesANegativeChannel) {
    EXPECT_EQ(run(scale_over_relu, {kRelu, Scale{oc({0.5f, -0.5f})}}),
              "refused: negative scale -0.5 after relu");
}

}  // namespace
}  // namespace fuseq::post_ops::laws
