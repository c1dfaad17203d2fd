// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// run_vnni() of depthwise_conv_detail.hpp. Only generated files include it: see
// src/cpu/kernels/CMakeLists.txt.
#pragma once

#include <type_traits>

#include "cpu/kernels/depthwise/depthwise_conv_pairs-inl.h"
#include "cpu/kernels/depthwise/depthwise_conv_runner-inl.h"
#include "cpu/kernels/depthwise/depthwise_conv_strip-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::depthwise {

template <std::size_t Size, std::size_t Stride>
void run_vnni(
    const Packed& packed, const std::uint8_t* src, std::uint8_t* dst, Range rows, Range blocks) {
    using Strips = std::conditional_t<Size == 3, Pairs, Ring>;
    Runner<Strips, Size, Stride>::run(packed, src, dst, rows, blocks);
}

}  // namespace fuseq::kernels::depthwise

FUSEQ_END_VNNI
