// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Several results of one value, in all forms but kVnni512.
#pragma once

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

namespace fuseq::kernels::gemm {

inline constexpr std::size_t kMaxResults = 8;

struct NarrowResult {
    Store store = Store::kF32;
    std::vector<PackedOp> ops;  // after those of the epilogue; constants alone
};

struct NarrowResults {
    std::vector<NarrowResult> list;
    // Pixels of a row of dst, where each panel of a pixel is stored in a row of its own; or 0.
    std::size_t row_width = 0;
};

// Stores GemmArgs::results in place of dst.
void finish_narrow_results(const EpilogueCall& call, const NarrowResults& results);

}  // namespace fuseq::kernels::gemm
