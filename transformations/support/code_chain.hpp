// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Constants of few bits and how they become numbers:
//   Const -> Convert -> [Subtract(zero_point)] -> Multiply(scale) -> [Add(offset) or Subtract(offset)]
#pragma once

#include <optional>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq {

// (code - zero_point) * scale + offset, in f32.
struct CodeChain {
    Output codes;       // of any type
    Tensor zero_point;  // an empty handle: none
    Tensor scale;
    Tensor offset;             // an empty handle: none; negative where the offset is subtracted
    std::vector<Node*> nodes;  // from the last one up to the Convert
};

// The chain that `values` are the end of. Operands may broadcast in any way, also beyond the shape
// of the codes.
std::optional<CodeChain> match_code_chain(const Output& values);

}  // namespace fuseq
