// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Factors that bring the ranges of channels together: channel c of a tensor is divided by factor[c],
// and the weights that read it are multiplied.
#pragma once

#include <vector>

namespace fuseq::quantizer {

// Within what channels may move against each other.
float bounded_factor(double factor);

// s[c] = magnitude[c]^strength / share[c]^(1 - strength), bounded, with a geometric mean of 1. The
// factor is 1 where a magnitude or a share is 0, and such channels do not count.
// `shares`: see raise_weight_shares.
std::vector<float> channel_factors(const std::vector<double>& magnitudes,
                                   const std::vector<double>& shares,
                                   double strength);

}  // namespace fuseq::quantizer
