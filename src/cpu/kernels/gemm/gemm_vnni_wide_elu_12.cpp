// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_vnni_wide-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::gemm {

void run_wide_elu_1(const WideCall& call) {
    run_wide<1, WideJoin::kElu>(call);
}
void run_wide_elu_2(const WideCall& call) {
    run_wide<2, WideJoin::kElu>(call);
}

}  // namespace fuseq::kernels::gemm

FUSEQ_END_VNNI
