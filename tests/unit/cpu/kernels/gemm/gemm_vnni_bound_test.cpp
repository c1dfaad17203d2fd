// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_vnni_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace fuseq::kernels {
namespace {

using Kind = GemmOp::Kind;
using gemm::bound_after;

TEST(GemmBoundTest, OfEachOperation) {
    EXPECT_EQ(bound_after({.kind = Kind::kLinear, .a = {2, -3}, .b = {-5, 1}}, 10), 35);
    EXPECT_EQ(bound_after({.kind = Kind::kAffine, .a = {2}, .b = {1}}, 10), 21);
    EXPECT_EQ(bound_after({.kind = Kind::kScale, .a = {-2, 1}}, 10), 20);
    EXPECT_EQ(bound_after({.kind = Kind::kShift, .a = {-2, 1}}, 10), 12);
    EXPECT_EQ(bound_after({.kind = Kind::kRound}, 10), 11);
    EXPECT_EQ(bound_after({.kind = Kind::kPrelu, .a = {0.5f}}, 10), 10);
    EXPECT_EQ(bound_after({.kind = Kind::kPrelu, .a = {3}}, 10), 30);
    EXPECT_EQ(bound_after({.kind = Kind::kMax, .a = {50}}, 10), 50);
    EXPECT_EQ(bound_after({.kind = Kind::kMin, .a = {5}}, 10), 10);
    EXPECT_GE(bound_after({.kind = Kind::kClip, .a = {0}, .b = {6}}, 10), 10);
}

TEST(GemmBoundTest, OfTensors) {
    const post_ops::Binary bytes{.type = ElementType::u8, .scale = 2, .zero_point = -5};
    EXPECT_EQ(bound_after({.kind = Kind::kSum, .binary = bytes}, 10), 10 + 260 * 2);
    const post_ops::Binary floats{.type = ElementType::f32};
    EXPECT_TRUE(std::isinf(bound_after({.kind = Kind::kSum, .binary = floats}, 10)));
}

TEST(GemmBoundTest, OfActivations) {
    const auto after = [](post_ops::EltwiseKind kind) {
        return bound_after(
            {.kind = Kind::kEltwise, .eltwise = {.kind = kind, .alpha = 20, .beta = 0, .scale = 3}},
            10);
    };
    EXPECT_EQ(after(post_ops::EltwiseKind::kElu), 60);
    EXPECT_EQ(after(post_ops::EltwiseKind::kTanh), 3);
    EXPECT_EQ(after(post_ops::EltwiseKind::kGeluErf), 30);
    EXPECT_TRUE(std::isinf(after(post_ops::EltwiseKind::kMish)));
}

}  // namespace
}  // namespace fuseq::kernels
