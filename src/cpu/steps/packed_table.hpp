// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Weights that were packed for an earlier plan of the same model: in the order of the steps, or
// those of plans for other input shapes.
#pragma once

#include <vector>

#include "fuseq/tensor.hpp"

namespace fuseq::cpu {

// `key` is the descriptor that the primitive of the step asks for, byte by byte, and the name of
// the step. It is looked for at the number of the step first, then everywhere: steps of a stored
// model may come in another order. Where it is not found the weights are packed anew.
struct PackedWeights {
    std::vector<char> key;
    Tensor bytes;  // u8; empty: there are none for this step
    // Address of the constant that they were made of, which must be the same. Null: the table is
    // that of the same plan.
    const void* source = nullptr;
};

using PackedTable = std::vector<PackedWeights>;

}  // namespace fuseq::cpu
