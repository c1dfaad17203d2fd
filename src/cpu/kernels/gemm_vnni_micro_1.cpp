// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm_vnni_micro-inl.h"

namespace fuseq::kernels::gemm {

MicroFunction micro_function_1(std::size_t rows) {
    return select<1>(rows, std::make_index_sequence<kMostRows[1]>{});
}

}  // namespace fuseq::kernels::gemm
