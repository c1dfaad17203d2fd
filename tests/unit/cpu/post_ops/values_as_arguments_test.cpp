// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/values_as_arguments.hpp"

#include <gtest/gtest.h>

namespace fuseq::post_ops {
namespace {

using Algorithm = EltwiseAlgorithm;

Emission emission_of(Values scales, std::vector<PostOp> post_ops) {
    Emission emission;
    emission.output_scales = std::move(scales);
    emission.post_ops = std::move(post_ops);
    emission.dst_type = ElementType::u8;
    return emission;
}

std::string changed(const Emission& emission) {
    const auto result = with_values_as_arguments(emission);
    return result ? to_text(*result) : "nothing";
}

TEST(ValuesAsArguments, OutputScalesAreAFirstMultiplication) {
    const auto result = with_values_as_arguments(emission_of(Values({0.5f, 0.25f}), {}));
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->output_scales.all_equal_to(1.0f));
    EXPECT_EQ(result->post_ops,
              (std::vector<PostOp>{ConstantPostOp{BinaryKind::kMul, Values({0.5f, 0.25f})}}));
}

TEST(ValuesAsArguments, ScalesOfActivationsAndShiftsStandAfterThem) {
    const auto result = with_values_as_arguments(
        emission_of(Values(1.0f), {EltwisePostOp{Algorithm::kGeluErf, 0, 0, 36.5f},
                                   EltwisePostOp{Algorithm::kLinear, 1, 7, 1}}));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->post_ops,
              (std::vector<PostOp>{EltwisePostOp{Algorithm::kGeluErf, 0, 0, 1},
                                   ConstantPostOp{BinaryKind::kMul, Values(36.5f)},
                                   ConstantPostOp{BinaryKind::kAdd, Values(7.0f)}}));
}

// oneDNN's linear is one fused operation: apart, the product would be rounded.
TEST(ValuesAsArguments, AProductAndASumInOneStayOne) {
    EXPECT_EQ(changed(emission_of(Values(1.0f), {EltwisePostOp{Algorithm::kLinear, 3, 7, 1}})),
              "nothing");
}

TEST(ValuesAsArguments, ParametersOfActivationsStay) {
    EXPECT_EQ(changed(emission_of(Values(1.0f),
                                  {EltwisePostOp{Algorithm::kClip, -1, 2, 1}, TensorPostOp{}})),
              "nothing");
}

TEST(ValuesAsArguments, NothingBesideASumWithTheBufferOfTheResult) {
    EXPECT_EQ(changed(emission_of(Values(0.5f), {SumPostOp{}})), "nothing");
}

}  // namespace
}  // namespace fuseq::post_ops
