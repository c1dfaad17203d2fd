// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Maxima of 2 x 2 accumulators in all forms but kVnni512.
#pragma once

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

namespace fuseq::kernels::gemm {

// A pooled micro-kernel (pooled_micro_functions()) made of `panel`'s, of up to `rows` rows.
void run_narrow_pooled(const Panel& panel,
                       std::size_t rows,
                       const MicroCall& call,
                       std::size_t pixels);

}  // namespace fuseq::kernels::gemm
