// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole sequences are held against TFLite (tests/unit/readers_tflite/cases/state.json).
#include <cmath>

#include "ops/quantized/rules/fixed_point_16.hpp"
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

TEST(QuantizedLstm, RefusesWhatDoesNotFit) {
    std::vector<In> inputs = inputs_of({0, 0, 0, 0});
    inputs[4] = constant<std::int8_t>({4, 1, 2}, std::vector<std::int8_t>(8, 0));
    EXPECT_THAT(error_of("QuantizedLstm", 1, kAttributes, inputs),
                HasSubstr("input 4 has shape [4,1,2], expected [4,1,1]"));
    inputs = inputs_of({0, 0, 0, 0});
    inputs[2] = in<std::int8_t>({1, 1}, {0});
    EXPECT_THAT(error_of("QuantizedLstm", 1, kAttributes, inputs),
                HasSubstr("input 2 is i8, expected i16"));
}

}  // namespace
}  // namespace fuseq::test
