// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// scale_into_eltwise: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

TEST(ScaleIntoEltwise, JoinsItsScale) {
    EXPECT_EQ(
        run(scale_into_eltwise, {Eltwise{EltwiseKind::kSwish, 1.0f, 0.0f, 2.0f}, Scale{3.0f}}),
        "swish(1)*6 -> f32");
    EXPECT_EQ(run(scale_into_eltwise, {kTanh, Scale{oc({1.0f, 2.0f})}}),
              "refused: per-channel scale after tanh, which has one scale");
}

}  // namespace
}  // namespace fuseq::post_ops::laws
