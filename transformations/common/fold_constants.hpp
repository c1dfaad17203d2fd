// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transformations/pass.hpp"

namespace fuseq {

// Leaves quantized weights (match_weight_chain) for normalize_weights, if the options ask for low
// precision.
bool fold_constants(Model& model, PassContext& context);
// Folds quantized weights too: those that no integer operation has taken.
bool fold_all_constants(Model& model, PassContext& context);

}  // namespace fuseq
