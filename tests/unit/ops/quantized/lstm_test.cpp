// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole sequences are held against TFLite (tests/unit/readers_tflite/cases/lstm_integer.json).
#include <cmath>
#include <numeric>

#include "ops/quantized/rules/fixed_point_16.hpp"
#include "ops/quantized/rules/layer_norm_16.hpp"
#include "support/op_runner.hpp"

// Debian's libgemmlowp-dev, where it is installed: a second source.
#if __has_include(<gemmlowp/fixedpoint/fixedpoint.h>)
#include <gemmlowp/fixedpoint/fixedpoint.h>
#define FUSEQ_HAS_GEMMLOWP
#endif

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// Three integer bits: steps of 2^-12; results in steps of 2^-15.
TEST(FixedPoint16, LogisticAndTanhAreCloseToTheFunctions) {
    for (std::int32_t a = -32768; a <= 32767; ++a) {
        const double x = a * 0x1p-12;
        ASSERT_NEAR(rules::fixed_16::logistic(a, 3) * 0x1p-15, 1 / (1 + std::exp(-x)), 3e-4) << a;
        ASSERT_NEAR(rules::fixed_16::tanh(a, 3) * 0x1p-15, std::tanh(x), 5e-4) << a;
    }
    EXPECT_EQ(rules::fixed_16::logistic(0, 3), 16384);
    EXPECT_EQ(rules::fixed_16::tanh(0, 3), 0);
}

#ifdef FUSEQ_HAS_GEMMLOWP
TEST(FixedPoint16, EveryBitIsGemmlowps) {
    using F3 = gemmlowp::FixedPoint<std::int16_t, 3>;
    using F4 = gemmlowp::FixedPoint<std::int16_t, 4>;
    using F5 = gemmlowp::FixedPoint<std::int16_t, 5>;
    using F6 = gemmlowp::FixedPoint<std::int16_t, 6>;
    for (std::int32_t a = -32768; a <= 32767; ++a) {
        const auto raw = static_cast<std::int16_t>(a);
        ASSERT_EQ(rules::fixed_16::logistic(a, 3), gemmlowp::logistic(F3::FromRaw(raw)).raw()) << a;
        ASSERT_EQ(rules::fixed_16::tanh(a, 3), gemmlowp::tanh(F3::FromRaw(raw)).raw()) << a;
        ASSERT_EQ(rules::fixed_16::tanh(a, 4), gemmlowp::tanh(F4::FromRaw(raw)).raw()) << a;
        ASSERT_EQ(rules::fixed_16::tanh(a, 5), gemmlowp::tanh(F5::FromRaw(raw)).raw()) << a;
        ASSERT_EQ(rules::fixed_16::tanh(a, 6), gemmlowp::tanh(F6::FromRaw(raw)).raw()) << a;
    }
}
#endif

constexpr const char* kAttributes =
    "input_scale=0.5; state_scale=0.0078125; hidden_scale=0.0078125; cell_exponent=-11; "
    "weight_scales=1,1,1,1; recurrent_scales=1,1,1,1";

std::vector<In> inputs_of(const std::vector<std::int32_t>& bias) {
    return {in<std::int8_t>({1, 2, 1}, {0, 0}),
            in<std::int8_t>({1, 1}, {0}),
            in<std::int16_t>({1, 1}, {0}),
            constant<std::int8_t>({4, 1, 1}, {0, 0, 0, 0}),
            constant<std::int8_t>({4, 1, 1}, {0, 0, 0, 0}),
            constant<std::int32_t>({4, 1}, bias)};
}

// Without weights the gates are f(bias * 0.5): input, forget and output 1/2, the cell 0, or tanh(1).
// c = 0.762 / 2 = 0.381, y = tanh(0.381) / 2 = 0.182; then c = 0.571, y = 0.258.
TEST(QuantizedLstm, KeepsCellsFromStepToStep) {
    const auto none = run_op("QuantizedLstm", 1, kAttributes, inputs_of({0, 0, 0, 0}));
    expect_tensor<std::int8_t>(none[0], {1, 2, 1}, {0, 0});
    const auto some = run_op("QuantizedLstm", 1, kAttributes, inputs_of({0, 0, 2, 0}));
    expect_tensor<std::int8_t>(some[0], {1, 2, 1}, {23, 33});
    expect_tensor<std::int8_t>(some[1], {1, 1}, {33});
    expect_tensor<std::int16_t>(some[2], {1, 1}, {1170});
    const auto clipped = run_op("QuantizedLstm", 1, std::string(kAttributes) + "; cell_clip=100",
                                inputs_of({0, 0, 2, 0}));
    expect_tensor<std::int16_t>(clipped[2], {1, 1}, {100});
}

// Values in ten fractional bits by weights of 2^-15, stored in steps of 2^-12.
TEST(LayerNorm16, IsCloseToTheNormalization) {
    std::vector<std::int16_t> values(64);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<std::int16_t>(static_cast<int>(i * i * 7 % 1000) - 300);
    }
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 64;
    double variance = 0;
    for (const double value : values) {
        variance += (value - mean) * (value - mean) / 64;
    }
    const auto moments = rules::layer_norm_16::moments(values, 1);
    auto to_steps = rules::quantize_multiplier(0x1p-15);
    to_steps.exponent += 12;
    for (const std::int16_t value : values) {
        const double expected = (value - mean) / std::sqrt(variance) * 0.75 + 0.5;
        EXPECT_NEAR(
            rules::layer_norm_16::normalized(value, moments, 24576, 16384 * 1024, to_steps) *
                0x1p-12,
            expected, 3e-3);
    }
}

TEST(LayerNorm16, OfEqualValuesIsTheBias) {
    const std::vector<std::int16_t> values(5, 777);
    const auto moments = rules::layer_norm_16::moments(values, 3);
    auto to_steps = rules::quantize_multiplier(0x1p-15);
    to_steps.exponent += 12;
    EXPECT_EQ(rules::layer_norm_16::normalized(777, moments, 24576, -16384 * 1024, to_steps),
              -2048);
}

// As KeepsCellsFromStepToStep, the cell gate's value from a normalization: one cell is its mean.
TEST(QuantizedLstm, NormalizationOfOneCellLeavesItsBias) {
    std::vector<In> inputs = inputs_of({0, 0, 2 * 16384 * 1024, 0});
    inputs.push_back(constant<std::int16_t>({4, 1}, {1, 1, 1, 1}));
    const auto some = run_op("QuantizedLstm", 1,
                             std::string(kAttributes) +
                                 "; gate_scales=1,1,1,1; norm_scales="
                                 "3.0517578125e-05,3.0517578125e-05,"
                                 "3.0517578125e-05,3.0517578125e-05",
                             inputs);
    expect_tensor<std::int8_t>(some[0], {1, 2, 1}, {23, 33});
}

// Coupled: the input gate is 1 less the forget gate, both 1/2 as in the test above.
TEST(QuantizedLstm, CoupledGates) {
    std::vector<In> inputs = inputs_of({0, 0, 2, 0});
    inputs[3] = inputs[4] = constant<std::int8_t>({3, 1, 1}, {0, 0, 0});
    inputs[5] = constant<std::int32_t>({3, 1}, {0, 2, 0});
    const auto some = run_op("QuantizedLstm", 1,
                             "input_scale=0.5; state_scale=0.0078125; hidden_scale=0.0078125; "
                             "cell_exponent=-11; weight_scales=1,1,1; recurrent_scales=1,1,1",
                             inputs);
    expect_tensor<std::int8_t>(some[0], {1, 2, 1}, {23, 33});
}

// The peephole of the output gate sees the new cell: 780 * 2^-11 * 2 = 0.762, logistic 0.682.
TEST(QuantizedLstm, PeepholeOfTheNewCell) {
    std::vector<In> inputs = inputs_of({0, 0, 2, 0});
    inputs.push_back(constant<std::int16_t>({3, 1, 1}, {0, 0, 2}));
    const auto some =
        run_op("QuantizedLstm", 1, std::string(kAttributes) + "; peephole_scales=1,1,1", inputs);
    EXPECT_EQ(some[0].data<std::int8_t>()[0],
              std::lround(std::tanh(0.381) / (1 + std::exp(-0.762)) * 128));
}

// 23 of a scale of 2^-7, times 2 * 0.5 in steps of 2^-7; then the clip.
TEST(QuantizedLstm, Projection) {
    std::vector<In> inputs = inputs_of({0, 0, 2, 0});
    inputs.push_back(constant<std::int8_t>({1, 1}, {2}));
    inputs.push_back(constant<std::int32_t>({1}, {6}));
    const std::string attributes = std::string(kAttributes) + "; projection_scale=0.5";
    const auto some = run_op("QuantizedLstm", 1, attributes, inputs);
    EXPECT_EQ(some[0].data<std::int8_t>()[0], 26);
    EXPECT_EQ(some[0].data<std::int8_t>()[1], 36);
    const auto clipped = run_op("QuantizedLstm", 1, attributes + "; projection_clip=30", inputs);
    EXPECT_EQ(clipped[0].data<std::int8_t>()[1], 30);
}

TEST(QuantizedLstm, RefusesWhatDoesNotFit) {
    std::vector<In> inputs = inputs_of({0, 0, 0, 0});
    inputs[4] = constant<std::int8_t>({4, 1, 2}, std::vector<std::int8_t>(8, 0));
    EXPECT_THAT(error_of("QuantizedLstm", 1, kAttributes, inputs),
                HasSubstr("input 4 has shape [4,1,2], expected [4,1,1]"));
    inputs = inputs_of({0, 0, 0, 0});
    inputs[2] = in<std::int8_t>({1, 1}, {0});
    EXPECT_THAT(error_of("QuantizedLstm", 1, kAttributes, inputs),
                HasSubstr("input 2 is i8, expected i16"));
    const std::string attributes = kAttributes;
    EXPECT_THAT(
        error_of("QuantizedLstm", 1, attributes + "; norm_scales=1,1,1,1", inputs_of({0, 0, 0, 0})),
        HasSubstr("has 6 inputs, expected 7 by its scales"));
    EXPECT_THAT(
        error_of("QuantizedLstm", 1, attributes + "; peephole_scales=1,1", inputs_of({0, 0, 0, 0})),
        HasSubstr("peephole_scales has 2 values, expected 3 or none"));
    EXPECT_THAT(
        error_of("QuantizedLstm", 1, attributes + "; projection_clip=128", inputs_of({0, 0, 0, 0})),
        HasSubstr("projection_clip is 128, expected 0 to 127"));
}

}  // namespace
}  // namespace fuseq::test
