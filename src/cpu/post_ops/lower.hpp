// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// First part of the composer: what stands after an anchor in the graph becomes basic operations.
// Plain numbers in, basic operations out; limits and scales are in double because the constants of
// f16 models and reciprocals of steps must not be rounded twice. Each value becomes a float only
// when its operation is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cpu/post_ops/basic_ops.hpp"

namespace fuseq::post_ops {

// Either the operations or the reason why there are none.
struct Lowered {
    std::optional<std::vector<BasicOp>> ops;
    std::string refused;
    explicit operator bool() const { return ops.has_value(); }
};

// Each list holds one value or one a channel; the lists may differ in that.
struct FakeQuantizeLimits {
    std::vector<double> input_low;
    std::vector<double> input_high;
    std::vector<double> output_low;
    std::vector<double> output_high;
    std::int64_t levels = 256;
};

// Law:    FQ(x) == Scale(inv) Shift(-il * inv) Round Clip(0, levels - 1) Scale(step) Shift(ol),
//         with inv = (levels - 1) / (ih - il) and step = (oh - ol) / (levels - 1), up to ties.
//         The clip stands after the round, so it is per-tensor for per-channel limits too.
//         A quantize-only FQ has output limits that are integers levels - 1 apart: step is 1.
// Before: FakeQuantize   After: the six operations; Shift(-il) Scale(inv) instead of the first two
//         when the range is so far from zero that x * inv would lose the fraction of a step.
// Refuses: input_low == input_high (a step function), input_high < input_low (outside such a range
//         the definition jumps to the opposite end, which no chain of these operations does),
//         limits that are not finite, levels outside [2, 2^24].
Lowered lower_fake_quantize(const FakeQuantizeLimits& limits);

// x with constants, one value or one a channel: x + v, x - v, v - x, x * v, x / v. They refuse
// values that are not finite floats, a division those of which the reciprocal is none. A
// dequantize is a subtraction and a multiplication, as it is in the graph.
Lowered lower_add(const std::vector<double>& values);
Lowered lower_subtract(const std::vector<double>& values);
Lowered lower_subtract_from(const std::vector<double>& values);
Lowered lower_multiply(const std::vector<double>& values);
Lowered lower_divide(const std::vector<double>& values);
// min(max(x, low), high), each one value or one a channel; an infinite bound is none. Refuses
// low > high and NaN.
Lowered lower_bounds(const std::vector<double>& low, const std::vector<double>& high);
Lowered lower_clamp(double low, double high);
Lowered lower_relu(double negative_slope = 0.0);
// One slope becomes a leaky relu.
Lowered lower_prelu(const std::vector<double>& slope);
Lowered lower_activation(EltwiseKind kind, double alpha = 0.0, double beta = 0.0);

// min(max(alpha * x + beta, 0), 1)
Lowered lower_hard_sigmoid(double alpha, double beta);
// x^exponent; squares and roots have names of their own.
Lowered lower_power(double exponent);

// A residual input: kind and number among the binary sources; t = (element - zero_point) * scale.
struct ResidualInput {
    BinaryKind kind = BinaryKind::kAdd;
    std::size_t input = 0;
    ElementType type = ElementType::f32;
    double scale = 1.0;
    double zero_point = 0.0;
    bool per_plane = false;  // see Binary
    bool per_pixel = false;
};
// Refuses element types other than u8, i8, i32 and f32, and a scale of zero.
Lowered lower_residual(const ResidualInput& residual);

}  // namespace fuseq::post_ops
