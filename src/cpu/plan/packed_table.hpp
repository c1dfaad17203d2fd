// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Weights that were packed for an earlier plan of the same model: in the order of the steps.
#pragma once

#include <vector>

#include "fuseq/tensor.hpp"

namespace fuseq::cpu {

// Which step it belongs to is said by the number; `layout` is the descriptor that the primitive of
// the step asks for, byte by byte. Where that is not the same the weights are packed anew.
struct PackedWeights {
    std::vector<char> layout;
    Tensor bytes;  // u8; empty: there are none for this step
};

using PackedTable = std::vector<PackedWeights>;

}  // namespace fuseq::cpu
