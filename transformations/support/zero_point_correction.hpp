// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the fraction of a zero point adds to a convolution or deconvolution.
//   zero_point = Z + f:  sum (q - zero_point) * w = sum (q - Z) * w - f * sum w
// where the sums run over the taps that meet the source: padding is zero on both sides. Away from
// the border of a convolution the last sum is one number a channel; at the border it is smaller.
// In a deconvolution it also depends on the position between the strides.
#pragma once

#include <vector>

#include "fuseq/model.hpp"

namespace fuseq {

// i8 weights w - zero_point; zero points: none, one, or one an output channel.
struct IntegerWeights {
    const Tensor& values;
    const std::vector<float>& zero_point;
    double zero_point_of(std::size_t channel) const {
        return zero_point.empty() ? 0.0 : zero_point[zero_point.size() == 1 ? 0 : channel];
    }
};

// Sum of the weights of each output channel of a consumer (convolution or matmul).
std::vector<double> weight_sums(const Node& consumer, const IntegerWeights& weights);

// For each output channel the largest difference between the sum of all its weights and the sum of
// those that meet the source, over all positions. Convolutions and deconvolutions of static spatial
// shape.
std::vector<double> largest_missed_sums(const Node& conv, const IntegerWeights& weights);

// Sum of the weights that meet the source for each output channel and position: f64 values in the
// order of the result [1, OC, spatial...]. Same requirements.
std::vector<double> met_sums(const Node& conv, const IntegerWeights& weights);

// Spatial dimensions of source and result are known.
bool has_static_spatial_shape(const Node& conv);

// Whether some weights may miss the source: padding, or a deconvolution.
bool may_miss_source(const Node& conv);

}  // namespace fuseq
