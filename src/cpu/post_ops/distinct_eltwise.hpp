// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Works around a fault of oneDNN 2.6.3: its generators of eltwise code are kept in a map from
// algorithm to generator, so that in [clip(0, 6), .., clip(0, 15)] the second clip is run with the
// bounds of the first, without any complaint (seen in brgconv, jit_int8, jit, brg, brgemm and the
// gemm implementations alike).
#pragma once

#include <string>
#include <vector>

#include "cpu/post_ops/emit.hpp"

namespace fuseq::post_ops {

struct DistinctPostOps {
    std::vector<PostOp> post_ops;
    std::string refused;  // not empty: there is no other way to write one of them
};

// The same post-ops, in which an algorithm that comes again with other parameters is written
// differently: linear as binary multiply and add with one constant, clip as clip_v2 and then as
// binary max and min, relu without a slope as binary max. Other activations are refused.
DistinctPostOps make_distinct(const std::vector<PostOp>& post_ops);

}  // namespace fuseq::post_ops
