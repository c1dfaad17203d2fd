// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the passes share that make convolutions and matmuls integer operations.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "transformations/pass.hpp"
#include "transformations/support/dequantize.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {

struct QuantizedOperands {
    Dequantize src;
    NormalizedWeights wei;
};

// Source and weights of a consumer. Where only one of them is quantized, says so in the context:
// src_not_quantized, weights_not_quantized. Silent where none is.
std::optional<QuantizedOperands> match_quantized_operands(const Node& consumer,
                                                          std::string_view pass,
                                                          PassContext& context);

// Whether sums of (q - zero_point) * w over 8-bit q may leave 32 bits.
bool may_overflow(const Node& consumer,
                  const Tensor& weights,
                  const std::vector<std::int32_t>& zero_points);

// The smallest input step of the FQs that read the result of `node` through operations that do not
// magnify differences (Add, ReLU, Clamp, MaxPool, Concat, ...). 0 when something else reads it.
double smallest_step_after(const Node& node);

}  // namespace fuseq
