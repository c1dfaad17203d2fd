// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The layout and the weights of a product of 16 by 8 bits.
#pragma once

#include "cpu/kernels/gemm/u16_product_detail.hpp"

namespace fuseq::kernels::u16 {

// Throws fuseq::Error for sizes that do not fit together.
Packed pack(const U16Params& params);

// Of the source in scratch; a multiple of 64.
std::size_t source_bytes(const Packed& packed);

}  // namespace fuseq::kernels::u16
