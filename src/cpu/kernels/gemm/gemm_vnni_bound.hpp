// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How large values become on their way through an epilogue.
#pragma once

#include "cpu/kernels/gemm/gemm_vnni.hpp"

namespace fuseq::kernels::gemm {

// The largest magnitude after an operation on values up to `bound`; infinite when not known.
double bound_after(const GemmOp& op, double bound);

}  // namespace fuseq::kernels::gemm
