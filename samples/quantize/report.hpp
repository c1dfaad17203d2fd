// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the quantizer did, for people and for programs.
#pragma once

#include <string>

#include "fuseq/quantizer.hpp"

namespace fuseq::samples {

// A few lines: totals, layers that stayed in float and why, remarks.
std::string summary(const QuantizedModel& model);

// {options, steps: [{name, sqnr_before, sqnr_after, kept}], layers: [{name, kind, precision,
// reason, input_scale, input_offset, weight_scales}],
//  kept, remarks, totals}, and with -max_drop ranking: [{layer, sqnr, returned_to_float}], drop.
std::string report_json(const QuantizedModel& model, const QuantizerOptions& options);

}  // namespace fuseq::samples
