// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ops/quantized/quantized_run.hpp"
#include "ops/quantized/rules/softmax_16.hpp"

namespace fuseq {

// Softmax of a row of bytes or i16, or its logarithm, by a rule. kTable is TFLite's of bytes:
// exp(-s * beta * d) of the distance d to the maximum in f32, summed in order, times 1 / (sum * so),
// rint; halves away from zero where the result is i16. Its logarithm:
// rint(q * si / so - (si * maximum + log(sum)) / so). kScaledTable is ONNX Runtime's QLinearSoftmax:
// f32 powers that are as large as a sum of `size` of them allows, rint(power * floor(1 / so) / sum).
// kD2, kD1: TFLite's of i16 (rules/softmax_16.hpp). The others, and logarithms by kScaledTable: real
// values.
class QuantizedSoftmaxRow {
public:
    // Of rows of `size` integers of the type `source`.
    QuantizedSoftmaxRow(const QuantizedSoftmaxAttrs& attrs,
                        RoundingRule rule,
                        ElementType source,
                        std::size_t size);

    // Integers `step` apart. Not clamped.
    void operator()(const std::int32_t* src, std::int64_t* dst, std::size_t step) const;

    const std::optional<rules::Softmax16>& fixed_point() const { return fixed_point_; }

private:
    struct Row;
    struct Powers;
    void make_powers(std::size_t distances);
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
    bool halves_away_;
    RoundingRule rule_;
    std::size_t size_;
    std::vector<float> powers_;        // of the tables, by distance
    std::vector<double> real_powers_;  // of the others
    std::optional<rules::Softmax16> fixed_point_;
};

// Why a node of i16 whose rule is that of fixed point has none; empty: it has, or its rule is another
// one.
std::string softmax_16_refusal(const Node& node);

}  // namespace fuseq
