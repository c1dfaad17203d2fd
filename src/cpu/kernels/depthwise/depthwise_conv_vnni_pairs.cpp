// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/depthwise/depthwise_conv_pairs-inl.h"
#include "cpu/kernels/depthwise/depthwise_conv_runner-inl.h"

namespace fuseq::kernels::depthwise {

void run_vnni_pairs_3x3_stride1(
    const Packed& packed, const std::uint8_t* src, std::uint8_t* dst, Range rows, Range blocks) {
    Runner<Pairs, 3, 1>::run(packed, src, dst, rows, blocks);
}

void run_vnni_pairs_3x3_stride2(
    const Packed& packed, const std::uint8_t* src, std::uint8_t* dst, Range rows, Range blocks) {
    Runner<Pairs, 3, 2>::run(packed, src, dst, rows, blocks);
}

}  // namespace fuseq::kernels::depthwise
