// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From an emission and the chain that it leaves over to the operations of the plugin's own matrix
// product. The order of roundings is that of oneDNN with a chain step after it, so that both give
// the same integers.
#pragma once

#include <optional>
#include <vector>

#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "cpu/post_ops/emit.hpp"

namespace fuseq::cpu {

struct GemmEpilogueOps {
    std::vector<float> scale{1.0f};
    std::vector<float> bias;
    std::vector<kernels::GemmOp> ops;
};

// Nothing when the kernel lacks an operation.
std::optional<GemmEpilogueOps> gemm_epilogue_ops(const post_ops::Emission& emission,
                                                 const post_ops::Chain& rest);

}  // namespace fuseq::cpu
