// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Calibration data on disk.
#pragma once

#include <string>
#include <vector>

#include "common/pictures/picture_input.hpp"
#include "fuseq/model.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq::samples {

// Paths that hold an input each, sorted by name: folders DATA/<any name> with <input>.npy or pictures
// of such names, pictures of DATA or of its folders (an input each), or DATA itself. Throws Error when
// there are none.
std::vector<std::string> input_paths(const std::string& data, const std::vector<Output>& inputs);

// One tensor an input of the model.
std::vector<Tensor> read_inputs(const std::string& path,
                                const Model& model,
                                const PictureOptions& pictures);

}  // namespace fuseq::samples
