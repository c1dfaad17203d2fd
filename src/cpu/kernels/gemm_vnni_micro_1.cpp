// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm_vnni_micro-inl.h"

namespace fuseq::kernels::gemm {

const MicroFunction* micro_functions_1() {
    return all<1>(std::make_index_sequence<kMostRows[1]>{});
}

}  // namespace fuseq::kernels::gemm
