// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Quantized tensors: the attributes of the Model's integer operations, and the way through real
// values for what has no integer form.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "readers/tflite/operator.hpp"

namespace fuseq::tflite_reader {

inline constexpr const char* kMethod = "TFLITE";

// Whether input i is quantized. The output must be so too then: throws Error where it is not.
bool is_quantized(const Operator& op, std::size_t input = 0);

// Grids of data inputs and of the first output, its type, and the clamp that a fused activation is.
// Each of these tensors must have one scale.
ModelAttributes grids(
    const Operator& op,
    const std::vector<std::size_t>& inputs,
    ::tflite::ActivationFunctionType function = ::tflite::ActivationFunctionType::NONE);

// Scales and zero points of weights of which dimension `channel_axis` is the output channels.
void add_weight_grids(const Operator& op,
                      std::size_t input,
                      std::size_t channel_axis,
                      ModelAttributes& attributes);

// The bias stands in the scale of the product, whatever its own scale is; throws Error where that
// is further away than TFLite allows.
void check_bias(const Operator& op, std::size_t input, std::size_t weights, std::size_t bias);

// One scale and zero point for both.
bool same_grid(const TensorInfo& a, const TensorInfo& b);

Output dequantize(Operator& op, std::size_t input, const Output& value);
Output quantize(Operator& op, const Output& value, std::size_t output = 0);

// Quantized operands as real values, the operation on them, quantized again. Says so in a warning.
using RealOperation = std::function<Output(const std::vector<Output>&)>;
Values through_reals(Operator& op, const Aligned& operands, const RealOperation& operation);

// y = function(x) of 8-bit integers as they stand in the file: a table of 256 values.
Values through_table(Operator& op, const std::function<std::int64_t(std::int64_t)>& function);

}  // namespace fuseq::tflite_reader
