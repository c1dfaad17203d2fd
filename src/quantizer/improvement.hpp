// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Improvement: tries what the options allow beyond ranges, one after the other, and keeps what
// brings the quantized model closer to the float one on inputs that were held back.
#pragma once

#include "quantizer/conversion.hpp"

namespace fuseq::quantizer {

struct Improved {
    Conversion conversion;
    std::vector<QuantizerStep> steps;
    std::vector<std::string> remarks;
    std::vector<std::size_t> judges;  // inputs that were held back
};

// With a bound on the drop (options), ranges are those of the learning inputs alone. Throws Error
// for a bound with too few inputs to judge it.
Improved improve(const Conversion& start, std::size_t count, const CalibrationInputs& inputs);

}  // namespace fuseq::quantizer
