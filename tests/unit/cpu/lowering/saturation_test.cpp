// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/saturation.hpp"

#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

Tensor weights(const std::vector<std::int8_t>& values, std::size_t channels) {
    return Tensor::of<std::int8_t>(Shape{channels, values.size() / channels}, values);
}

TEST(SaturationProof, TwoLargeWeightsOverflow) {
    const SaturationProof proof = prove_no_saturation(weights({127, 0, 0, 127}, 1), 1, 255);
    EXPECT_FALSE(proof.safe);
    EXPECT_EQ(proof.worst_pair, 255 * 254);
}

TEST(SaturationProof, OneLargeWeightDoesNot) {
    // 255 * 127 = 32385 fits, and so does 255 * 128 = 32640.
    EXPECT_TRUE(prove_no_saturation(weights({127, 0, 0, 1}, 1), 1, 255).safe);
    EXPECT_FALSE(prove_no_saturation(weights({127, 0, 0, 2}, 1), 1, 255).safe);
}

TEST(SaturationProof, NegativeSumsReachOneFurther) {
    // -255 * 128 = -32640; -255 * 129 = -32895 does not fit.
    EXPECT_TRUE(prove_no_saturation(weights({-64, -64, 127}, 1), 1, 255).safe);
    EXPECT_FALSE(prove_no_saturation(weights({-65, -64}, 1), 1, 255).safe);
}

TEST(SaturationProof, OppositeSignsDoNotAddUp) {
    EXPECT_TRUE(prove_no_saturation(weights({127, -127}, 1), 1, 255).safe);
}

TEST(SaturationProof, ChannelsAreSeparate) {
    EXPECT_TRUE(prove_no_saturation(weights({100, 0, 100, 0}, 2), 2, 255).safe);
    EXPECT_FALSE(prove_no_saturation(weights({100, 100, 0, 0}, 2), 2, 255).safe);
}

TEST(SaturationProof, ASmallRangeOfSrcHelps) {
    EXPECT_TRUE(prove_no_saturation(weights({127, 127}, 1), 1, 127).safe);
}

}  // namespace
}  // namespace fuseq::cpu
