// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Models cut down to the results of some of their layers.
#pragma once

#include <set>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::quantizer {

// The result of an anchor with its bias, which may have more dimensions of 1 in front.
Output with_bias(Node& anchor);

// The result of the float model that a result of the quantized one is compared with. A bias that the
// quantized model has got is an Add that the float model does not have.
Output exact_result(const Model& exact, const Output& of_quantized);

// Those in `but` stay.
void remove_unread_parameters(Model& model, const std::set<const Node*>& but = {});

// `results` in place of the model's own. Its Parameters stay.
void keep_results_only(Model& model, const std::vector<Output>& results);

}  // namespace fuseq::quantizer
