// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm_vnni_micro-inl.h"

namespace fuseq::kernels::gemm {

const MicroFunction* micro_functions_2() {
    return all<2>(std::make_index_sequence<kMostRows[2]>{});
}

}  // namespace fuseq::kernels::gemm
