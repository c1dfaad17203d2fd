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

// Says why a consumer of which only one operand is quantized stays in float: src_not_quantized,
// weights_not_quantized. Silent where none is.
void explain_float_operand(const Node& consumer,
                           std::string_view pass,
                           bool src_quantized,
                           bool wei_quantized,
                           PassContext& context);

// Zero points beyond this are the sign of a broken range.
inline constexpr float kLargestZeroPoint = 1 << 20;
float largest_magnitude(const ChannelValues& values);

// Whether sums of (q - zero_point) * w over 8-bit q may leave 32 bits.
bool may_overflow(const Node& consumer, const Tensor& weights, const ChannelValues& zero_point);

// The smallest input step of the FQs that read the result of `node` through operations that do not
// magnify differences (Add, ReLU, Clamp, MaxPool, Concat, ...). 0 when something else reads it.
double smallest_step_after(const Node& node);

}  // namespace fuseq
