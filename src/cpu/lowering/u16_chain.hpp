// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Chains that end in whole numbers of 16 bits, which a Convert stores as u16.
#pragma once

#include <cstddef>
#include <optional>

#include "cpu/lowering/step_builder.hpp"

namespace fuseq::cpu {

inline constexpr float kLargestU16 = 65535;

// The number of operations before a rounding to what a u16 holds, if the chain ends in one.
std::optional<std::size_t> before_u16_rounding(const post_ops::Chain& chain);

// The Convert to u16 that alone reads the group's result, of the shape `computed`; null: there is
// none.
Node* u16_convert_after(const StepBuilder& builder, const Group& group, const Shape& computed);

// What the readers of a Convert to u16 want.
Layout u16_layout(const Node& convert);

}  // namespace fuseq::cpu
