// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of kVnni256 whose sums go from registers to dst.
#pragma once

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

namespace fuseq::kernels::gemm {

// Tiles of fewer rows have none.
inline constexpr std::size_t kMinFusedRows = 5;

// As fused_functions(), for whole panels of 16 channels. `way`: for panels that have one, which lists
// of operations have no use of.
const FusedFunction* vnni256_fused_functions(const Epilogue& epilogue, Store store, bool way);

}  // namespace fuseq::kernels::gemm
