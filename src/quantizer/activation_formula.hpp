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

// Whether what goes into the operation of two computed operands is one of them, and means or other
// reductions of it: x - mean(x), d * 1 / sqrt(mean(d * d) + epsilon). Normalizations that the
// exporter has written out; integers inside would cost much and save nothing.
bool is_normalization_formula(const Node& node);

}  // namespace fuseq::quantizer
