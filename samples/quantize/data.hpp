// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Calibration data on disk.
#pragma once

#include <string>
#include <vector>

#include "fuseq/model.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq::samples {

// The folders of DATA that hold an input each, sorted by name: DATA/<any name>/<input>.npy, or DATA
// itself. Throws Error when there are none.
std::vector<std::string> input_folders(const std::string& data);

// One tensor an input of the model.
std::vector<Tensor> read_inputs(const std::string& folder, const Model& model);

}  // namespace fuseq::samples
