// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What values a float network reaches on a few inputs: the ranges of its FakeQuantize layers.
#pragma once

#include <vector>

#include "generate_model/quantized_network.hpp"

namespace fuseq::samples {

// Of every result of rank 2 or more, by its name and channel (dimension 1). `inputs`: one list of
// tensors a run. The bounds are multiples of 1/64, so that the last bits of a sum do not matter.
Ranges observe(const Model& model, const std::vector<std::vector<Tensor>>& inputs);

}  // namespace fuseq::samples
