// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The zero points of weights that are no whole numbers, or do not fit i8 together with the
// integers:
//   sum (q - z) * (w - y) = sum (q - z) * w - y * S        S = sum (q - z), one number a window
// Exporters write many of them that are rounding noise (7.6e-6 for a zero point that was computed
// next to 128 in f32). S costs little, but not nothing; where y * S cannot matter it is left out.
#pragma once

#include <vector>

#include "fuseq/model.hpp"
#include "transformations/support/dequantize.hpp"
#include "transformations/support/zero_point_correction.hpp"

namespace fuseq {

// What a result of the consumer counts in: the real value of 1 in the accumulator, one value or one
// an output channel, and the step of the FQ after it, 0 when it is not known.
struct ResultSteps {
    const std::vector<float>& scale;
    double step = 0;
};

// The zero points of `weights`, or none when
//   |y| * (largest |S|) * scale <= step / 1024      for every output channel, or, without a step,
//   |y| * taps <= (sum of the magnitudes of its weights) / 2^20.
// At most one of 1024 results of the FQ could then round to another integer, and it needs windows
// full of the largest value for that. In groups, where the sums cost as much as the layer, the
// limit is step / 256.
std::vector<float> zero_points_that_matter(const Node& consumer,
                                           const Dequantize& src,
                                           const IntegerWeights& weights,
                                           const ResultSteps& result);

}  // namespace fuseq
