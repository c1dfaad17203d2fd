// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transformations/pass.hpp"

namespace fuseq {

// Reordered channels before a convolution become reordered weights.
bool fold_channel_order_into_weights(Model& model, PassContext& context);

}  // namespace fuseq
