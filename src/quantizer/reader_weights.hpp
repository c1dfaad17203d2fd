// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Weights of a layer by the channels of the tensor that it reads.
#pragma once

#include <functional>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::quantizer {

// An anchor whose weights are f32 constants.
bool has_float_weights(const Node& anchor);

// rows x matrix, both as they lie.
bool is_plain_matmul(const Node& node);

// Whether an anchor reads input 0 by channels: of a convolution dimension 1, of a plain MatMul the
// last one.
bool reads_channels(const Node& anchor);

// Of each channel, the greatest share that one of its weights has of the greatest in its row
// (what is summed into one result); raises what is greater than `shares` has.
void raise_weight_shares(const Node& anchor, std::vector<double>& shares);

// Multiplies the weights of channel c by factors[c], in a constant of their own.
void multiply_weights(Model& model, Node& anchor, const std::vector<float>& factors);

}  // namespace fuseq::quantizer
