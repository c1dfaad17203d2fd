// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/quantized/quantized_run.hpp"

namespace fuseq {

// Softmax of a row of bytes, or its logarithm, by a rule. kTable is TFLite's: exp(-s * beta * d) of
// the distance d to the maximum in f32, summed in order, times 1 / (sum * so), rint. Its logarithm:
// rint(q * si / so - (si * maximum + log(sum)) / so). kScaledTable is ONNX Runtime's QLinearSoftmax:
// f32 powers that are as large as a sum of `size` of them allows, rint(power * floor(1 / so) / sum).
// The others, and logarithms by kScaledTable: real values.
class QuantizedSoftmaxRow {
public:
    // Of rows of `size` integers.
    QuantizedSoftmaxRow(const QuantizedSoftmaxAttrs& attrs, RoundingRule rule, std::size_t size);

    // Integers that lie within 255 of each other, `step` apart. Not clamped.
    void operator()(const std::int32_t* src, std::int64_t* dst, std::size_t step) const;

private:
    struct Row;
    void make_powers();
    void make_scaled_powers();
    void by_table(const Row& row) const;
    void logarithms_by_table(const Row& row) const;
    void by_scaled_table(const Row& row) const;
    std::int64_t of_overflow() const;
    void by_real_values(const Row& row) const;

    float input_scale_, beta_, output_scale_;
    std::int64_t output_zero_point_;
    bool logarithm_;
    bool is_signed_;
    RoundingRule rule_;
    std::size_t size_;
    std::vector<float> powers_;        // of the tables, by distance
    std::vector<double> real_powers_;  // of the others
};

}  // namespace fuseq
