// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations that wide tiles do as one elu.
#include "cpu/kernels/gemm_vnni_detail.hpp"

namespace fuseq::kernels::gemm {
namespace {

using Kind = GemmOp::Kind;

// The larger of the line above zero and of what lies below it is the elu then.
bool is_elu(const PackedOp& op) {
    const post_ops::Eltwise& e = op.eltwise;
    return op.kind == Kind::kEltwise && op.quick && e.kind == post_ops::EltwiseKind::kElu &&
           e.alpha > 0.0f && e.alpha <= 1.0f && e.scale > 0.0f;
}

}  // namespace

std::optional<WideElu> elu_of(const std::vector<PackedOp>& ops, std::size_t channel) {
    if (ops.empty() || ops.size() > 2 || !is_elu(ops[0])) {
        return std::nullopt;
    }
    WideElu elu{.alpha = ops[0].eltwise.alpha, .factor = ops[0].eltwise.scale};
    if (ops.size() == 2) {
        const PackedOp& op = ops[1];
        switch (op.kind) {
            case Kind::kScale: elu.factor *= op.a[channel]; break;
            case Kind::kShift: elu.shift = op.a[channel]; break;
            case Kind::kAffine:
            case Kind::kLinear:
                elu.factor *= op.a[channel];
                elu.shift = op.b[channel];
                break;
            default: return std::nullopt;
        }
    }
    return elu.factor > 0.0f ? std::optional(elu) : std::nullopt;
}

bool have_elus(const std::vector<PackedOp>& ops, std::size_t channels) {
    for (std::size_t c = 0; c < channels; ++c) {
        if (!elu_of(ops, c)) {
            return false;
        }
    }
    return true;
}

}  // namespace fuseq::kernels::gemm
