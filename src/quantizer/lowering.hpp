// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Brings a float model to the form that is profiled and quantized.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::quantizer {

// A copy with constant expressions computed, decomposable operations taken apart (but those of the
// kinds `not_lowered`), and scales after convolutions in their weights. It has only operations
// that an IR can state, keeps open shapes open, and names of layers where they still exist; what
// else a layer stands for is in Node::origins.
std::shared_ptr<Model> lower(const Model& model, const std::vector<std::string>& not_lowered);

}  // namespace fuseq::quantizer
