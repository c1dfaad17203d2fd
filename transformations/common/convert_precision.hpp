// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     every f16, bf16 and f64 tensor becomes f32: the devices compute reals in f32 only.
//          Packed elements become bytes (u1, u2, u4: u8; i4: i8) or f32 (nf4).
// Before:  %x = Parameter : f16[..]    %y = Relu(%x) : f16[..]              Result(%y)
// After:   %x = Parameter : f16[..]    %c = Convert(%x) f32   %y = Relu(%c) : f32[..]
//          %d = Convert(%y) f16        Result(%d)
//          Constants are converted by value. Attributes that name such a type name f32. A Convert
//          between equal types goes. Bodies of subgraph operations are converted whole.
//          Packed constants stay where a Convert reads them; for all other readers a new Convert
//          unpacks them. The same after a Convert to a packed type, which clamps the values.
// Refuses: nothing. Inputs and outputs of the model keep their type, by a Convert at the border.
// Source:  own; what a compressed (f16) IR means is its value, not its rounding.
#pragma once

#include "transformations/pass.hpp"

namespace fuseq {

bool convert_precision(Model& model, PassContext& context);

}  // namespace fuseq
