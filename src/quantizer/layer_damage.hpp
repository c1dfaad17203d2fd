// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What each quantized layer does to its own result, in one pass: every layer gets the exact values
// of the float model ("teacher-forced"), so that no layer is blamed for those before it.
#pragma once

#include <vector>

#include "quantizer/conversion.hpp"

namespace fuseq::quantizer {

// Of every anchor that becomes integers, the worst first.
std::vector<LayerDamage> rank_layers(const Conversion& conversion,
                                     const std::vector<std::size_t>& indices,
                                     const CalibrationInputs& inputs);

}  // namespace fuseq::quantizer
