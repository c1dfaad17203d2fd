// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Equalization: channels of a tensor that is quantized with one scale get ranges that are more
// alike. Channel c is divided by s[c] where it is computed (weights, biases, constants of a
// normalization) and multiplied in the weights that read it, so that the float model computes the
// same. Between products this is known as cross-layer equalization, from activations into weights
// as smoothing.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "fuseq/model.hpp"
#include "quantizer/profile.hpp"

namespace fuseq::quantizer {

// Inputs of layers whose values must stay as they are.
using FixedInputs = std::set<std::pair<std::string, std::size_t>>;

// s[c] = range[c]^strength / weight[c]^(1 - strength), where range[c] is the greatest magnitude of
// the channel and weight[c] the greatest share that a weight which reads it has of its row.
// Changes constants of the model, and ranges and means of the profile; histograms of what changed
// lose their counts. Returns the names of the tensors that were equalized.
std::vector<std::string> equalize(Model& lowered,
                                  Profile& profile,
                                  double strength,
                                  const FixedInputs& fixed);

}  // namespace fuseq::quantizer
