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
bool is_byte_type(ElementType type);

// Of a dense tensor: its last dimension in memory, and how often there is one.
struct MemoryRows {
    std::size_t rows = 1;
    std::size_t columns = 1;
    // Of which a thread is given at least so many.
    std::size_t grain() const;
};
MemoryRows memory_rows(const PlanTensor& tensor);

// Channels-last where an input of the shape of dst exists in that order only.
Layout layout_of_inputs(const StepBuilder& builder, const Node& node);

}  // namespace fuseq::cpu
