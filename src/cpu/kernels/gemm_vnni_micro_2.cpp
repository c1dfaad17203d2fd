// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm_vnni_micro-inl.h"

namespace fuseq::kernels::gemm {

MicroFunction micro_function_2(std::size_t rows) {
    return select<2>(rows, std::make_index_sequence<kMostRows[2]>{});
}

}  // namespace fuseq::kernels::gemm
