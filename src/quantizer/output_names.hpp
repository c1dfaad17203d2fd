// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/model.hpp"

namespace fuseq::quantizer {

// Gives the layers that compute the outputs of `model` the names that they have in `original`:
// programs ask for outputs by these. A layer that still has such a name, now that a bias or a scale
// comes after it, is called "<name>/WithoutBiases", as in OpenVINO's own files.
void keep_output_names(const Model& original, Model& model);

}  // namespace fuseq::quantizer
