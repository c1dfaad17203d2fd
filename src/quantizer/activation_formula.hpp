// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/model.hpp"

namespace fuseq::quantizer {

// Whether the operation of two computed operands computes its result element by element from one
// tensor alone, of the same shape: x * sigmoid(x), x + 0.044715 * x^3, maximum(x, 0.1 * x). Such a
// formula is an activation that the exporter has written out, and has no integers inside. A sum
// like x + x is none: it is one of integers.
bool is_activation_formula(const Node& node);

}  // namespace fuseq::quantizer
