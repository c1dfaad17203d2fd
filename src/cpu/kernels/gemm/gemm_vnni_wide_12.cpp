// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_vnni_wide-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::gemm {

void run_wide_1(const WideCall& call) {
    run_wide<1, WideJoin::kNone>(call);
}
void run_wide_2(const WideCall& call) {
    run_wide<2, WideJoin::kNone>(call);
}

}  // namespace fuseq::kernels::gemm

FUSEQ_END_VNNI
