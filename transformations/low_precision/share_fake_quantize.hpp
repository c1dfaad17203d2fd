// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transformations/pass.hpp"

namespace fuseq {

// The FakeQuantize added before that quantizes the same tensor in the same way, and stands for `fq`
// after the pass; null when `fq` stands for itself.
Node* fake_quantize_shared_with(const Node& fq, const PassOptions& options);

bool share_fake_quantize(Model& model, PassContext& context);

}  // namespace fuseq
