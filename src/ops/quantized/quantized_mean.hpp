// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedMean: sums over axes, and from sums to the integers of dst.
#pragma once

#include <optional>
#include <vector>

#include "ops/quantized/quantized_run.hpp"

namespace fuseq {

// The type and the shape of what a reduction of quantized tensors gives; one source grid.
void infer_quantized_reduction(InferContext& context, const QuantizedMeanAttrs& attrs);

// Sums over axes of integers, one an element that is left; each is of `count` integers.
struct AxisSums {
    std::vector<std::int64_t> sums;
    std::int64_t count = 1;
};
AxisSums axis_sums(const Shape& src,
                   const std::vector<std::size_t>& axes,
                   const std::vector<std::int32_t>& values);

class QuantizedMeanRule {
public:
    // count: elements of a sum, at least 1.
    QuantizedMeanRule(const QuantizedMeanAttrs& attrs, RuleChoice choice, std::int64_t count);

    // `sum`: of the integers less their zero point. Nothing is clamped.
    std::int64_t operator()(std::int64_t sum) const;

private:
    QuantizedMeanAttrs attrs_;
    RuleChoice choice_;
    std::int64_t count_;
    std::optional<Requantizer> requantize_;  // of the rules with a multiplier
};

}  // namespace fuseq
