// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole layers are held against TFLite (tests/unit/readers_tflite/cases/state.json).
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr const char* kAttributes =
    "rank=2; input_zero_point=1; output_zero_point=-10; feature_scale=2; time_scale=0.5";

// Two filters of rank 2 over three steps: one unit.
std::vector<In> inputs_of(const std::vector<std::int8_t>& x,
                          const std::vector<std::int16_t>& state) {
    return {in<std::int8_t>({1, 2}, x), in<std::int16_t>({1, 6}, state),
            constant<std::int8_t>({2, 2}, {1, 2, 3, -4}),
            constant<std::int16_t>({2, 3}, {1, 2, 3, -1, 0, 1}), constant<std::int32_t>({1}, {7})};
}

// Features: 2 * (1 * 4 + 2 * 2) = 16 and 2 * (3 * 4 - 4 * 2) = 8; the oldest, 10 and 40, go.
// 20 * 1 + 30 * 2 + 16 * 3 - 50 + 8 + 7 = 93; 46.5 is rounded away from zero, less 10.
TEST(QuantizedSvdf, ForgetsTheOldestStep) {
    const auto out =
        run_op("QuantizedSvdf", 1, kAttributes, inputs_of({5, 3}, {10, 20, 30, 40, 50, 60}));
    expect_tensor<std::int8_t>(out[0], {1, 1}, {37});
    expect_tensor<std::int16_t>(out[1], {1, 6}, {20, 30, 16, 50, 60, 8});
}

TEST(QuantizedSvdf, Saturates) {
    const std::string large = "rank=2; feature_scale=20000; time_scale=0.5";
    const auto out = run_op("QuantizedSvdf", 1, large, inputs_of({5, 5}, {0, 0, 0, 0, 0, 0}));
    expect_tensor<std::int16_t>(out[1], {1, 6}, {0, 0, 32767, 0, 0, -32768});
    expect_tensor<std::int8_t>(out[0], {1, 1}, {127});
}

TEST(QuantizedSvdf, NeedsNoBias) {
    std::vector<In> inputs = inputs_of({5, 3}, {10, 20, 30, 40, 50, 60});
    inputs.pop_back();
    expect_tensor<std::int8_t>(run_op("QuantizedSvdf", 1, kAttributes, inputs)[0], {1, 1}, {33});
}

TEST(QuantizedSvdf, RefusesWhatDoesNotFit) {
    std::vector<In> inputs = inputs_of({5, 3}, {10, 20, 30, 40, 50, 60});
    EXPECT_THAT(error_of("QuantizedSvdf", 1, "rank=3; feature_scale=1; time_scale=1", inputs),
                HasSubstr("rank is 3, there are 2 filters"));
    EXPECT_THAT(error_of("QuantizedSvdf", 1, "rank=1; feature_scale=0; time_scale=1", inputs),
                HasSubstr("a scale is 0"));
    EXPECT_THAT(error_of("QuantizedSvdf", 1,
                         "rank=1; feature_scale=1; time_scale=1; output_zero_point=128", inputs),
                HasSubstr("a zero point is 128"));
    EXPECT_THAT(error_of("QuantizedSvdf", 1, "rank=1; feature_scale=1; time_scale=1", inputs),
                HasSubstr("input 4 has shape [1], expected [2]"));
    inputs[1] = in<std::int16_t>({1, 5}, {0, 0, 0, 0, 0});
    EXPECT_THAT(error_of("QuantizedSvdf", 1, kAttributes, inputs),
                HasSubstr("input 1 has shape [1,5], expected [1,6]"));
    inputs[1] = in<std::int8_t>({1, 6}, {0, 0, 0, 0, 0, 0});
    EXPECT_THAT(error_of("QuantizedSvdf", 1, kAttributes, inputs),
                HasSubstr("input 1 is i8, expected i16"));
}

}  // namespace
}  // namespace fuseq::test
