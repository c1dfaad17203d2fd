// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The end of a tile of plain sums: the rounding rule of a framework, from the buffer in L1 to bytes.
#pragma once

#include "cpu/kernels/eltwise/requantize_sums.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

namespace fuseq::kernels::gemm {

void round_sums(const EpilogueCall& call, const SumRounding& rounding);

}  // namespace fuseq::kernels::gemm
