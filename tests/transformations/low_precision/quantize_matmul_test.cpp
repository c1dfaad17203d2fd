// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/quantize_matmul.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"
#include "transformations/low_precision/dequantize_text.hpp"

namespace fuseq::testing {
namespace {

std::string constant_weights(const std::string& shape,
                             const std::string& scale,
                             const std::string& scale_shape) {
    return "%i = Const value=random(5,-127,127) : i8" + shape +
           "\n%ic = Convert(%i) destination_type=f32\n%t = Const value={" + scale + "} : f32" +
           scale_shape + "\n%w = Multiply(%ic, %t) !origins=[\"weights_fq\"]\n";
}

TEST(QuantizeMatMul, ConstantWeightsWithScalesOfColumns) {
    const PassTest test =
        run_pass(quantize_matmul, model(dq("x", "u8[2,3,4]", "0.5", "7") +
                                        constant_weights("[2,4]", "1,2", "[2,1]") +
                                        "%y = MatMul(%x, %w) transpose_b=true"));
    EXPECT_EQ(differs_from(test, model("%x_q = Parameter : u8[2,3,4]\n"
                                       "%i = Const value=random(5,-127,127) : i8[2,4]\n"
                                       "%z = Const value={7} : i32[]\n"
                                       "%p = MatMul(%x_q, %i, %z) transpose_b=true\n"
                                       "%s = Const value={0.5,1} : f32[1,1,2]\n"
                                       "%y = Multiply(%p, %s)")),
              "");
    EXPECT_EQ(test.after->find("y")->origins, (std::vector<std::string>{"y", "weights_fq"}));
    EXPECT_EQ(largest_difference(test), 0.0);
}

std::string weights_with_zero_points(const std::string& shape,
                                     const std::string& zero_point,
                                     const std::string& small) {
    return "%i = Const value=random(5,-127,127) : i8" + shape +
           "\n%ic = Convert(%i) destination_type=f32\n%yz = Const value={" + zero_point +
           "} : f32" + small + "\n%iz = Subtract(%ic, %yz)\n%t = Const value={2} : f32[]\n" +
           "%w = Multiply(%iz, %t) !origins=[\"weights_fq\"]\n";
}

TEST(QuantizeMatMul, ZeroPointsOfColumns) {
    const PassTest test =
        run_pass(quantize_matmul, model(dq("x", "u8[2,3,4]", "0.5", "7") +
                                        weights_with_zero_points("[2,4]", "0.25,-100", "[2,1]") +
                                        "%y = MatMul(%x, %w) transpose_b=true"));
    EXPECT_EQ(differs_from(test, model("%x_q = Parameter : u8[2,3,4]\n"
                                       "%i = Const value=random(5,-127,127) : i8[2,4]\n"
                                       "%z = Const value={7} : i32[]\n"
                                       "%yz = Const value={0.25,-100} : f32[2]\n"
                                       "%p = MatMul(%x_q, %i, %z, %yz) transpose_b=true\n"
                                       "%s = Const value={1} : f32[]\n"
                                       "%y = Multiply(%p, %s)")),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

struct Case {
    const char* name;
    std::string body;
};

const Case kCases[] = {
    {"NotTransposed", dq("x", "i8[3,4]", "0.5", "") + constant_weights("[4,2]", "1,2", "[1,2]") +
                          "%y = MatMul(%x, %w)"},
    {"FractionOfTheZeroPoint", dq("x", "u8[3,4]", "0.5", "7.25") +
                                   constant_weights("[4,2]", "1,2", "[1,2]") +
                                   "%y = MatMul(%x, %w)"},
    {"ZeroPointOutsideOfTheType", dq("x", "u8[3,4]", "0.5", "-16") +
                                      constant_weights("[4,2]", "1,2", "[1,2]") +
                                      "%y = MatMul(%x, %w)"},
    {"ZeroPointsOfActivationsOutsideOfTheTypes", dq("x", "u8[2,3,4]", "0.5", "300") +
                                                     dq("w", "i8[2,4,5]", "0.25", "-130") +
                                                     "%y = MatMul(%x, %w)"},
    {"FractionWithOneScale", dq("x", "u8[3,4]", "0.5", "0.25") +
                                 constant_weights("[4,2]", "2", "[]") + "%y = MatMul(%x, %w)"},
    {"ZeroPointsAndAFraction", dq("x", "u8[3,4]", "0.5", "7.25") +
                                   weights_with_zero_points("[4,2]", "0.25,-3", "[1,2]") +
                                   "%y = MatMul(%x, %w)"},
    {"ZeroPointOfAVectorOfWeights", dq("x", "u8[3,4]", "0.5", "7.25") +
                                        weights_with_zero_points("[4]", "0.25", "[]") +
                                        "%y = MatMul(%x, %w)"},
    {"FractionBeforeMatricesOfWeights", dq("x", "u8[2,3,4]", "0.5", "7.25") +
                                            constant_weights("[2,4,5]", "2", "[]") +
                                            "%y = MatMul(%x, %w)"},
    {"FractionBeforeTransposedMatricesOfWeights",
     dq("x", "u8[3,4]", "0.5", "7.25") + weights_with_zero_points("[2,1,2,4]", "0.25,-3", "[2,1]") +
         "%y = MatMul(%x, %w) transpose_b=true"},
    {"FractionOfAVectorBeforeMatricesOfWeights", dq("x", "u8[4]", "0.5", "7.25") +
                                                     constant_weights("[3,4,5]", "2", "[]") +
                                                     "%y = MatMul(%x, %w)"},
    {"TransposedSource", dq("x", "u8[4,3]", "0.5", "1") +
                             constant_weights("[4,2]", "1,2", "[1,2]") +
                             "%y = MatMul(%x, %w) transpose_a=true"},
    {"VectorOfWeights",
     dq("x", "u8[3,4]", "0.5", "1") + constant_weights("[4]", "2", "[]") + "%y = MatMul(%x, %w)"},
    {"TwoActivations",
     dq("x", "u8[2,3,4]", "0.5", "") + dq("w", "i8[2,4,5]", "0.25", "") + "%y = MatMul(%x, %w)"},
    {"TwoActivationsWithZeroPoints",
     dq("x", "u8[2,3,4]", "0.5", "7") + dq("w", "i8[2,4,5]", "0.25", "-3") + "%y = MatMul(%x, %w)"},
    {"SecondZeroPointAlone",
     dq("x", "u8[2,3,4]", "0.5", "") + dq("w", "i8[2,4,5]", "0.25", "-3") + "%y = MatMul(%x, %w)"},
    {"FractionOfTheFirstActivation", dq("x", "u8[2,3,4]", "0.5", "7.25") +
                                         dq("w", "i8[2,4,5]", "0.25", "-3") +
                                         "%y = MatMul(%x, %w)"},
    {"FractionOfTheSecondActivation", dq("x", "u8[2,3,4]", "0.5", "7") +
                                          dq("w", "i8[2,4,5]", "0.25", "0.0625") +
                                          "%y = MatMul(%x, %w)"},
    {"FractionsOfBothTransposed", dq("x", "i8[2,4,3]", "0.5", "0.0625") +
                                      dq("w", "i8[1,5,4]", "0.25", "-2.75") +
                                      "%y = MatMul(%x, %w) transpose_a=true transpose_b=true"},
    {"FractionsAndScalesOfColumns",
     dq("x", "i8[3,2]", "0.5", "0.25") +
         dq("w", "i8[4,2]", "1,2,4,8", "-0.75,-0.75,-0.75,-0.75", "f32[4,1]") +
         "%y = MatMul(%x, %w) transpose_b=true"},
    {"ScalesOfColumnsOfAnActivation", dq("x", "u8[3,2]", "0.5", "") +
                                          dq("w", "i8[4,2]", "1,2,4,8", "", "f32[4,1]") +
                                          "%y = MatMul(%x, %w) transpose_b=true"},
};

class QuantizeMatMulCase : public ::testing::TestWithParam<Case> {};

TEST_P(QuantizeMatMulCase, GivesTheSameNumbers) {
    const PassTest test = run_pass(quantize_matmul, model(GetParam().body));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->find("y")->input(0).type(), test.after->find("x_q")->port().type);
    EXPECT_EQ(test.after->find("y")->input(1).type(), element::i8);
    EXPECT_LT(largest_difference(test), 5e-3);  // of values up to 1e5
}

INSTANTIATE_TEST_SUITE_P(All,
                         QuantizeMatMulCase,
                         ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

const Refusal kRefusals[] = {
    {"FloatSource",
     "%x = Parameter : f32[3,4]\n" + constant_weights("[4,2]", "1,2", "[1,2]") +
         "%y = MatMul(%x, %w)",
     "src_not_quantized: the source comes from Parameter 'x' in float"},
    {"FloatWeights",
     dq("x", "u8[3,4]", "0.5", "") + "%w = Parameter : f32[4,2]\n" + "%y = MatMul(%x, %w)",
     "weights_not_quantized: the second operand comes from Parameter 'w' in float"},
    {"WeightScalesOfRows",
     dq("x", "u8[2,2]", "0.5", "") + constant_weights("[2,2]", "1,2", "[2,1]") +
         "%y = MatMul(%x, %w)",
     "weights_not_quantized: "},
    {"WeightZeroPointsOfRows",
     dq("x", "u8[2,2]", "0.5", "") + weights_with_zero_points("[2,2]", "1,2", "[2,1]") +
         "%y = MatMul(%x, %w)",
     "weights_not_quantized: "},
    {"ScaleOfRows",
     dq("x", "u8[2,4]", "0.5,1", "", "f32[2,1]") + constant_weights("[4,2]", "1,2", "[1,2]") +
         "%y = MatMul(%x, %w)",
     "per_channel_scale: "},
    {"UnsignedSecondOperand",
     dq("x", "u8[2,3,4]", "0.5", "") + dq("w", "u8[2,4,5]", "0.25", "") + "%y = MatMul(%x, %w)",
     "weights_unsigned: "},
    {"FractionAndOpenLength",
     dq("x", "u8[3,?]", "0.5", "0.25") + dq("w", "i8[?,5]", "0.25", "") + "%y = MatMul(%x, %w)",
     "fractional_zero_point: "},
    {"FractionAndVector",
     dq("x", "u8[4]", "0.5", "0.25") + dq("w", "i8[4,5]", "0.25", "") + "%y = MatMul(%x, %w)",
     "fractional_zero_point: "},
    {"LongSums",
     dq("x", "u8[1,70000]", "0.5", "") + dq("w", "i8[70000,1]", "0.25", "") + "%y = MatMul(%x, %w)",
     "accumulator_overflow: "},
    {"HugeZeroPoint",
     dq("x", "u8[3,4]", "0.5", "-3000000") + constant_weights("[4,2]", "1,2", "[1,2]") +
         "%y = MatMul(%x, %w)",
     "accumulator_overflow: "},
};

class QuantizeMatMulRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(QuantizeMatMulRefusal, SaysWhy) {
    expect_refused(quantize_matmul, GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, QuantizeMatMulRefusal, ::testing::ValuesIn(kRefusals), refusal_name);

}  // namespace
}  // namespace fuseq::testing
