// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Models cut down to the results of some of their layers.
#pragma once

#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::quantizer {

// The result of an anchor with its bias, which may have more dimensions of 1 in front.
Output with_bias(Node& anchor);

// `results` in place of the model's own. Its Parameters stay.
void keep_results_only(Model& model, const std::vector<Output>& results);

}  // namespace fuseq::quantizer
