// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/distinct_eltwise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/attribute_emulator.hpp"

namespace fuseq::post_ops {
namespace {

using Algorithm = EltwiseAlgorithm;
using List = std::vector<PostOp>;

const char* const kRefused =
    "oneDNN runs a second activation of one kind with the parameters of the first";

EltwisePostOp linear(float alpha, float beta, float scale = 1.0f) {
    return {Algorithm::kLinear, alpha, beta, scale};
}
EltwisePostOp clip(float low, float high, float scale = 1.0f) {
    return {Algorithm::kClip, low, high, scale};
}
EltwisePostOp clip_v2(float low, float high, float scale = 1.0f) {
    return {Algorithm::kClipV2, low, high, scale};
}
EltwisePostOp relu(float alpha, float scale = 1.0f) {
    return {Algorithm::kRelu, alpha, 0.0f, scale};
}
ConstantPostOp constant(BinaryKind kind, float value) {
    return {kind, Values(value)};
}

List distinct(const List& list) {
    const DistinctPostOps out = make_distinct(list);
    EXPECT_EQ(out.refused, "");
    return out.post_ops;
}

TEST(DistinctEltwise, WhatIsDistinctStaysAsItIs) {
    const List list{linear(2.0f, 1.0f),
                    SumPostOp{.input = 0, .type = ElementType::u8, .scale = 0.5f},
                    relu(0.1f),
                    TensorPostOp{.kind = BinaryKind::kMul, .input = 1},
                    clip(0.0f, 6.0f),
                    constant(BinaryKind::kAdd, 3.0f),
                    EltwisePostOp{.algorithm = Algorithm::kTanh}};
    EXPECT_EQ(distinct(list), list);
    EXPECT_EQ(distinct({}), List{});
}

// The generator of the first does what the second wants.
TEST(DistinctEltwise, TheSameParametersMayComeAgain) {
    const EltwisePostOp round{.algorithm = Algorithm::kRound};
    const EltwisePostOp swish{.algorithm = Algorithm::kSwish, .alpha = 1.5f};
    const List list{round, swish,      relu(0.1f),       round,
                    swish, relu(0.1f), clip(0.0f, 6.0f), clip(0.0f, 6.0f)};
    EXPECT_EQ(distinct(list), list);
}

TEST(DistinctEltwise, ASecondLinearIsAMultiplyAndAnAdd) {
    EXPECT_EQ(distinct({linear(2.0f, 1.0f), linear(3.0f, 4.0f, 0.5f)}),
              (List{linear(2.0f, 1.0f), constant(BinaryKind::kMul, 1.5f),
                    constant(BinaryKind::kAdd, 2.0f)}));
    // What does nothing is left out.
    EXPECT_EQ(distinct({linear(2.0f, 1.0f), linear(1.0f, 4.0f)}),
              (List{linear(2.0f, 1.0f), constant(BinaryKind::kAdd, 4.0f)}));
    EXPECT_EQ(distinct({linear(2.0f, 1.0f), linear(3.0f, 0.0f)}),
              (List{linear(2.0f, 1.0f), constant(BinaryKind::kMul, 3.0f)}));
    EXPECT_EQ(distinct({linear(2.0f, 1.0f), linear(1.0f, 0.0f)}), (List{linear(2.0f, 1.0f)}));
}

TEST(DistinctEltwise, TheSecondClipIsAnotherAlgorithmTheThirdAMaxAndAMin) {
    EXPECT_EQ(distinct({clip(0.0f, 6.0f), clip(-1.0f, 15.0f, 2.0f)}),
              (List{clip(0.0f, 6.0f), clip_v2(-1.0f, 15.0f, 2.0f)}));
    EXPECT_EQ(distinct({clip(0.0f, 6.0f), clip(-1.0f, 15.0f), clip(1.0f, 9.0f, 2.0f)}),
              (List{clip(0.0f, 6.0f), clip_v2(-1.0f, 15.0f), constant(BinaryKind::kMax, 1.0f),
                    constant(BinaryKind::kMin, 9.0f), constant(BinaryKind::kMul, 2.0f)}));
    // The third is as the second was.
    EXPECT_EQ(distinct({clip(0.0f, 6.0f), clip(-1.0f, 15.0f), clip(-1.0f, 15.0f)}),
              (List{clip(0.0f, 6.0f), clip_v2(-1.0f, 15.0f), clip_v2(-1.0f, 15.0f)}));
}

TEST(DistinctEltwise, ASecondReluWithoutASlopeIsAMax) {
    EXPECT_EQ(
        distinct({relu(0.1f), relu(0.0f, 3.0f)}),
        (List{relu(0.1f), constant(BinaryKind::kMax, 0.0f), constant(BinaryKind::kMul, 3.0f)}));
    EXPECT_EQ(distinct({relu(0.0f, 3.0f), relu(0.0f)}),
              (List{relu(0.0f, 3.0f), constant(BinaryKind::kMax, 0.0f)}));
}

TEST(DistinctEltwise, RefusesWhatHasNoOtherForm) {
    const DistinctPostOps slope = make_distinct({relu(0.0f), relu(0.1f)});
    EXPECT_EQ(slope.refused, kRefused);
    EXPECT_TRUE(slope.post_ops.empty());
    for (const Algorithm algorithm :
         {Algorithm::kElu, Algorithm::kSwish, Algorithm::kTanh, Algorithm::kPow, Algorithm::kAbs}) {
        const EltwisePostOp first{.algorithm = algorithm, .alpha = 1.0f};
        EltwisePostOp second = first;
        second.scale = 2.0f;
        EXPECT_EQ(make_distinct({first, second}).refused, kRefused);
        EXPECT_EQ(make_distinct({first, first}).refused, "");
    }
}

// Both lists, run by the emulator of oneDNN's rules.
TEST(DistinctEltwise, ComputesTheSame) {
    Emission plain;
    plain.post_ops = {linear(0.5f, -3.0f),
                      clip(-7.0f, 9.0f, 0.5f),
                      linear(-2.0f, 1.0f, 3.0f),
                      clip(-20.0f, 21.0f),
                      relu(0.25f),
                      linear(4.0f, 0.5f),
                      clip(-30.0f, 11.0f, 1.5f),
                      relu(0.0f, 0.125f)};
    Emission other;
    other.post_ops = distinct(plain.post_ops);
    EXPECT_NE(other.post_ops, plain.post_ops);
    for (int x = -60; x <= 60; ++x) {
        EXPECT_EQ(testing::emulate(other, x, 0, {}), testing::emulate(plain, x, 0, {})) << x;
    }
}

}  // namespace
}  // namespace fuseq::post_ops
