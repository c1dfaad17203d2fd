// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Narrows the range of a tensor by its histogram, so that rare outliers do not cost precision
// everywhere else.
#pragma once

#include "quantizer/histogram.hpp"

namespace fuseq::quantizer {

struct CalibrationOptions {
    Calibration method = Calibration::kNone;
    double percentile = 99.99;
    QuantizationSchema schema = QuantizationSchema::kAsymmetric;
    IntegerRange integers{-128, 127};
};

// Part of `range`, which the histogram belongs to. `range` itself for kNone, and where the
// histogram is too coarse to say anything (fewer bins than levels).
RealRange calibrate(RealRange range, const Histogram& histogram, const CalibrationOptions& options);

}  // namespace fuseq::quantizer
