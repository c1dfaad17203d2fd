// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Rounded weights move the mean of every output channel; how far follows from the means of the
// input's channels, without running anything.
#pragma once

#include <vector>

#include "fuseq/model.hpp"
#include "quantizer/profile.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq::quantizer {

// Mean of each channel of what an anchor reads; empty when it is not known, or when it says nothing
// about the mean of a result (deconvolutions use a part of their taps for each).
std::vector<double> input_means(const Node& anchor, const Profile& profile);

// Mean error of each output channel:
//   sum over taps of (after - before) * mean of the tap's input channel * share of the results for
//   which the tap lies inside the source, and not in its padding.
// `before` and `after` are the weights of the anchor, f32; `means` as above, not empty.
std::vector<double> mean_errors(const Node& anchor,
                                const ChannelOrder& order,
                                const Tensor& before,
                                const Tensor& after,
                                const std::vector<double>& means);

}  // namespace fuseq::quantizer
