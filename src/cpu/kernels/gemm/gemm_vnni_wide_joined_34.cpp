// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_vnni_wide-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::gemm {

void run_wide_joined_3(const WideCall& call) {
    run_wide<3, WideJoin::kPlain>(call);
}
void run_wide_joined_4(const WideCall& call) {
    run_wide<4, WideJoin::kPlain>(call);
}

}  // namespace fuseq::kernels::gemm

FUSEQ_END_VNNI
