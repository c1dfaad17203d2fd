// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// fold_scales: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

using ::testing::HasSubstr;

TEST(FoldScales, MultipliesPerTensorAndPerChannel) {
    EXPECT_EQ(run(fold_scales, {Scale{2.0f}, Scale{0.25f}}), "scale(0.5) -> f32");
    const Result result =
        fold_scales({Chain{{Scale{oc({2.0f, 4.0f})}, Scale{0.5f}}, f32}, 0, SimplifyOptions{}});
    ASSERT_EQ(result.by.size(), 1u);
    EXPECT_EQ(std::get<Scale>(result.by[0]).by.list(), (std::vector<float>{1.0f, 2.0f}));
}

TEST(FoldScales, RefusesOverflowAndVanishing) {
    EXPECT_THAT(run(fold_scales, {Scale{1e30f}, Scale{1e30f}}), HasSubstr("does not fit a float"));
    EXPECT_THAT(run(fold_scales, {Scale{1e-30f}, Scale{1e-30f}}), HasSubstr("does not fit"));
    EXPECT_EQ(run(fold_scales, {Scale{0.0f}, Scale{1e30f}}), "scale(0) -> f32");
}

}  // namespace
}  // namespace fuseq::post_ops::laws
