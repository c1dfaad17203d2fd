// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// For the method ONNX_FUSED (docs/prequantized.md); no pass of the lists.
#pragma once

#include "transformations/pass.hpp"

namespace fuseq {

bool fuse_qdq_groups(Model& model, PassContext& context);

}  // namespace fuseq
