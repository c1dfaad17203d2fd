// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Measures BiasShifts.
#pragma once

#include "quantizer/conversion.hpp"
#include "quantizer/data_runner.hpp"

namespace fuseq::quantizer {

// With them, beside what the conversion does to biases, the results of every anchor have the means
// that they have in the float model over these inputs, channel by channel. Runs the quantized model
// once for each anchor on the longest way through it, on no more inputs than are worth that; empty
// where that would take too long even with a few.
BiasShifts measure_shifts(const Conversion& conversion,
                          std::vector<std::size_t> indices,
                          const CalibrationInputs& inputs);

}  // namespace fuseq::quantizer
