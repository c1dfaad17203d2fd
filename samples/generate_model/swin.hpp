// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "generate_model/transformers.hpp"

namespace fuseq::samples {

// Two stages of windows: attention within windows of tokens, which every second layer moves by half
// their size; four neighbours become one token between the stages.
void swin(TokenNetwork& net, const TransformerOptions& options);

}  // namespace fuseq::samples
