// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which chains let a max pooling be taken of the accumulators.
#include <algorithm>

#include "cpu/kernels/gemm/gemm_vnni.hpp"

namespace fuseq::kernels {

bool is_monotonic(const GemmParams& params) {
    const auto rises = [](const std::vector<float>& by) {
        return std::all_of(by.begin(), by.end(), [](float v) { return v >= 0.0f; });
    };
    using Kind = GemmOp::Kind;
    return params.dst_type != ElementType::f32 && params.wei_zero_point.empty() &&
           std::all_of(params.scale.begin(), params.scale.end(),
                       [](float v) { return v >= 0.0f; }) &&
           std::all_of(params.ops.begin(), params.ops.end(), [&](const GemmOp& op) {
               switch (op.kind) {
                   case Kind::kEltwise:
                   case Kind::kBinary:
                   case Kind::kSum: return false;
                   case Kind::kLinear:
                   case Kind::kScale:
                   case Kind::kAffine:
                   case Kind::kPrelu: return rises(op.a);
                   default: return true;
               }
           });
}

}  // namespace fuseq::kernels
