// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Without VNNI, oneDNN multiplies u8 by s8 and adds two neighbouring products in 16 bits, which
// saturates: 255 * 127 + 255 * 127 does not fit. A layer may run in int8 there only if its weights
// and the range of its src prove that no pair can (DESIGN section 6).
#pragma once

#include <cstdint>

#include "fuseq/tensor.hpp"

namespace fuseq::cpu {

struct SaturationProof {
    bool safe = false;
    // The largest sum of two products that could stand side by side.
    std::int64_t worst_pair = 0;
};

// Law:    any two weights of one output channel might be neighbours, as the order of oneDNN's
//         packing is its own affair; a pair is safe when both sums of the two largest products fit
//         into [-32768, 32767].
// weights i8, the output channels being the `channels` outermost slices in memory; src u8 in
// [0, src_max].
SaturationProof prove_no_saturation(const Tensor& weights,
                                    std::size_t channels,
                                    std::int64_t src_max);

}  // namespace fuseq::cpu
