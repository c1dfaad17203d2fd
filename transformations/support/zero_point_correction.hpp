// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the fraction of a zero point adds to a convolution.
//   zero_point = Z + f:  sum (q - zero_point) * w = sum (q - Z) * w - f * sum w
// where the sums run over the taps that lie inside the source: padding is zero on both sides.
// Away from the border the last sum is one number a channel; at the border it is smaller.
#pragma once

#include <vector>

#include "fuseq/model.hpp"

namespace fuseq {

// Sum of the i8 weights of each output channel of a consumer (convolution or matmul).
std::vector<double> weight_sums(const Node& consumer, const Tensor& weights);

// For each output channel the largest |sum of the weights that lie in padding|, over all positions
// of the window. Zero without padding. Convolution and GroupConvolution of static spatial shape.
std::vector<double> largest_padded_sums(const Node& conv, const Tensor& weights);

// Sum of the weights inside the source for each output channel and position: f64 values in the
// order of the result [1, OC, spatial...]. Same requirements.
std::vector<double> inside_sums(const Node& conv, const Tensor& weights);

// Spatial dimensions of source and result are known.
bool has_static_spatial_shape(const Node& conv);

// Convolution, GroupConvolution: padding that is not zero (or may not be).
bool has_padding(const Node& conv);

}  // namespace fuseq
