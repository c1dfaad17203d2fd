// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What a matrix product may be made from.
#pragma once

#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "fuseq/error.hpp"

namespace fuseq::kernels::gemm {

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
    throw Error("compile", detail::cat("integer matrix product: ", parts...));
}

// Throws Error that names what is wrong: sizes, types, zero points, a machine without the
// instructions.
void check(const GemmParams& params);
// The same of the number of weights, which need not be there before they are packed.
void check_weights(const GemmParams& params);
// The same of an operation after the product.
void check_op(const GemmOp& op);
post_ops::Support supports_op(const GemmOp& op);

}  // namespace fuseq::kernels::gemm
