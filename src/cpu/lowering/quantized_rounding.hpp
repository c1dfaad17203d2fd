// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Rules of operations on quantized tensors as their kernels take them, and the rows of their
// tensors.
#pragma once

#include <optional>

#include "cpu/kernels/eltwise/rounded_product.hpp"
#include "cpu/lowering/step_builder.hpp"
#include "ops/quantized/quantized_run.hpp"

namespace fuseq::cpu {

// Nothing: no kernel has it.
std::optional<kernels::ProductRounding> product_rounding(RoundingRule rule);
kernels::FixedMultiplier fixed_multiplier(const rules::QuantizedMultiplier& m);
kernels::ByteGrid byte_grid(std::int64_t zero_point, const IntegerLimits& limits);

// Channels-last where an input of the shape of dst exists in that order only.
Layout layout_of_inputs(const StepBuilder& builder, const Node& node);

}  // namespace fuseq::cpu
