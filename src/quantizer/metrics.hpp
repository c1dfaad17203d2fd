// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Metrics: how much worse the outputs of a quantized model are, as one number.
#pragma once

#include <string_view>
#include <vector>

#include "fuseq/quantizer.hpp"

namespace fuseq::quantizer {

// Outputs of a model for several inputs: [input][output].
using Outputs = std::vector<std::vector<Tensor>>;

// Greater is worse.
//   SQNR: minus the mean over outputs of the signal-to-noise ratio in dB;
//   cosine: 1 - the smallest cosine of an input's outputs;
//   top1: share of inputs whose greatest value of the first output is another one;
//   detections: share of boxes of confidence 0.2 and more without a partner: of the same class,
//   with an
//     intersection of at least half of the union. Rows of [.., N, 7] (image, class, confidence, x0,
//     y0, x1, y1) or [N, 5] (x0, y0, x1, y1, confidence).
// Throws Error for outputs that the metric cannot read.
double drop_of(DropMetric metric, const Outputs& exact, const Outputs& quantized);

}  // namespace fuseq::quantizer
