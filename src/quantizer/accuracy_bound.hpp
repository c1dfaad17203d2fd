// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Returns the layers that do the most damage to float, as few as it takes to hold a bound.
#pragma once

#include "quantizer/conversion.hpp"

namespace fuseq::quantizer {

struct Bounded {
    Conversion conversion;
    std::vector<LayerDamage> ranking;  // the worst first
    double drop = 0;                   // of the result
};

// Measures on `indices`. Throws Error where the bound does not even hold with every layer in float.
Bounded hold_bound(const Conversion& conversion,
                   const std::vector<std::size_t>& indices,
                   const CalibrationInputs& inputs);

}  // namespace fuseq::quantizer
