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
// rint(q * si / so - (si * maximum + log(sum)) / so). The others: real values.
class QuantizedSoftmaxRow {
public:
    QuantizedSoftmaxRow(const QuantizedSoftmaxAttrs& attrs, RoundingRule rule);

    // `size` integers that lie within 255 of each other, `step` apart; size > 0. Not clamped.
    void operator()(const std::int32_t* src,
                    std::int64_t* dst,
                    std::size_t size,
                    std::size_t step) const;

private:
    struct Row;
    void by_table(const Row& row) const;
    void logarithms_by_table(const Row& row) const;
    void by_real_values(const Row& row) const;

    float input_scale_, beta_, output_scale_;
    std::int64_t output_zero_point_;
    bool logarithm_;
    RoundingRule rule_;
    std::vector<float> powers_;        // of kTable, by distance
    std::vector<double> real_powers_;  // of the others
};

}  // namespace fuseq
