// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations that wide tiles do as one elu, or as one leaky relu.
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

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

std::optional<WideLeaky> leaky_of(const std::vector<PackedOp>& ops, std::size_t channel) {
    if (ops.empty() || ops.size() > 2 || ops[0].kind != Kind::kPrelu) {
        return std::nullopt;
    }
    WideLeaky leaky{.slope = ops[0].a[channel]};
    if (!(leaky.slope >= 0.0f && leaky.slope <= 1.0f)) {
        return std::nullopt;
    }
    if (ops.size() == 2) {
        const PackedOp& op = ops[1];
        switch (op.kind) {
            case Kind::kScale: leaky.factor = op.a[channel]; break;
            case Kind::kShift: leaky.shift = op.a[channel]; break;
            case Kind::kLinear:
                leaky.factor = op.a[channel];
                leaky.shift = op.b[channel];
                break;
            default: return std::nullopt;  // two roundings, or more
        }
    }
    return leaky;
}

bool have_leaky_relus(const std::vector<PackedOp>& ops, std::size_t channels) {
    for (std::size_t c = 0; c < channels; ++c) {
        if (!leaky_of(ops, c)) {
            return false;
        }
    }
    return true;
}

}  // namespace fuseq::kernels::gemm
