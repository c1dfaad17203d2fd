// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transformations/pass.hpp"

namespace fuseq {

// All but 8-bit weights that may yet become operands of an integer product.
bool keep_compressed_weights(Model& model, PassContext& context);
// All, when it is known which products are integer: keep_compressed_bytes.
bool keep_compressed_bytes(Model& model, PassContext& context);

}  // namespace fuseq
