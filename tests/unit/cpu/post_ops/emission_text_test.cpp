// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cpu/post_ops/emit.hpp"

namespace fuseq::post_ops {
namespace {

using Algorithm = EltwiseAlgorithm;

std::string text(std::vector<PostOp> post_ops) {
    Emission emission;
    emission.post_ops = std::move(post_ops);
    return to_text(emission);
}

TEST(EmissionText, OfWhatStandsBeforePostOps) {
    Emission emission;
    EXPECT_EQ(to_text(emission), "-> f32");
    emission.output_scales = Values(0.25f);
    emission.bias = {1.0f, 2.0f};
    emission.dst_zero_point = -3;
    emission.dst_type = ElementType::i8;
    EXPECT_EQ(to_text(emission), "scale:0.25 bias zp:-3 -> i8");
    emission.output_scales = Values({1.0f, 2.0f});
    EXPECT_EQ(to_text(emission), "scale:per_oc bias zp:-3 -> i8");
    emission.output_scales = Values(1.0f);
    emission.weight_scale = Values(0.1f);
    EXPECT_EQ(to_text(emission), "weight_scale:0.1 bias zp:-3 -> i8");
}

// Parameters that an algorithm does not have are not shown.
TEST(EmissionText, OfActivations) {
    const auto of = [](Algorithm algorithm) {
        return text({EltwisePostOp{algorithm, 0.5f, 2.0f, 1.0f}});
    };
    EXPECT_EQ(of(Algorithm::kLinear), "linear(0.5,2) -> f32");
    EXPECT_EQ(of(Algorithm::kClip), "clip(0.5,2) -> f32");
    EXPECT_EQ(of(Algorithm::kClipV2), "clip_v2(0.5,2) -> f32");
    EXPECT_EQ(of(Algorithm::kPow), "pow(0.5,2) -> f32");
    EXPECT_EQ(of(Algorithm::kRelu), "relu(0.5) -> f32");
    EXPECT_EQ(of(Algorithm::kElu), "elu(0.5) -> f32");
    EXPECT_EQ(of(Algorithm::kSwish), "swish(0.5) -> f32");
    EXPECT_EQ(of(Algorithm::kRound), "round -> f32");
    EXPECT_EQ(of(Algorithm::kTanh), "tanh -> f32");
    EXPECT_EQ(of(Algorithm::kLogistic), "logistic -> f32");
    EXPECT_EQ(of(Algorithm::kHardswish), "hardswish -> f32");
    EXPECT_EQ(of(Algorithm::kMish), "mish -> f32");
    EXPECT_EQ(of(Algorithm::kSoftRelu), "soft_relu -> f32");
    EXPECT_EQ(of(Algorithm::kGeluErf), "gelu_erf -> f32");
    EXPECT_EQ(of(Algorithm::kGeluTanh), "gelu_tanh -> f32");
    EXPECT_EQ(of(Algorithm::kAbs), "abs -> f32");
    EXPECT_EQ(of(Algorithm::kSqrt), "sqrt -> f32");
    EXPECT_EQ(of(Algorithm::kSquare), "square -> f32");
    EXPECT_EQ(of(Algorithm::kExp), "exp -> f32");
    EXPECT_EQ(of(Algorithm::kLog), "log -> f32");
}

TEST(EmissionText, AScaleOfOneAndASlopeOfZeroAreNotShown) {
    EXPECT_EQ(text({EltwisePostOp{.algorithm = Algorithm::kRelu}}), "relu -> f32");
    EXPECT_EQ(text({EltwisePostOp{.algorithm = Algorithm::kRelu, .scale = 0.5f}}),
              "relu*0.5 -> f32");
    EXPECT_EQ(text({EltwisePostOp{Algorithm::kLinear, 1.0f, -0.1f, 2.0f}}),
              "linear(1,-0.1)*2 -> f32");
}

TEST(EmissionText, OfConstantsTensorsAndSums) {
    EXPECT_EQ(text({ConstantPostOp{BinaryKind::kMax, Values(-1.5f)},
                    ConstantPostOp{BinaryKind::kMin, Values({1.0f, 2.0f})},
                    TensorPostOp{BinaryKind::kMul, 2, ElementType::i8},
                    SumPostOp{0, ElementType::u8, 0.25f}, SumPostOp{1, ElementType::f32, 1.0f}}),
              "max(-1.5) min(per_oc) mul(#2 i8) sum(#0 u8 *0.25) sum(#1 f32) -> f32");
}

// Two numbers that differ have different texts: 0.1f, and the next float after it.
TEST(EmissionText, NumbersReadBackAsTheyWere) {
    EXPECT_EQ(text({ConstantPostOp{BinaryKind::kAdd, Values(0.1f)}}), "add(0.1) -> f32");
    EXPECT_EQ(text({ConstantPostOp{BinaryKind::kAdd, Values(0x1.99999cp-4f)}}),
              "add(0.10000001) -> f32");
    EXPECT_EQ(text({ConstantPostOp{BinaryKind::kAdd, Values(1e30f)}}), "add(1e+30) -> f32");
}

}  // namespace
}  // namespace fuseq::post_ops
