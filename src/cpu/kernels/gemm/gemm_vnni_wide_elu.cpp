// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations that wide tiles do as one elu, perhaps of a sum with a tensor, or as one leaky relu.
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

// Bytes as they are, times a factor, rounded once.
bool sums_bytes(const PackedOp& op) {
    const post_ops::Binary& b = op.binary;
    const bool as_is = op.kind == Kind::kSum ||
                       (op.kind == Kind::kBinary && b.kind == post_ops::BinaryKind::kAdd &&
                        b.scale == 1.0f && b.zero_point == 0.0f);
    return as_is && b.type != ElementType::f32;
}

}  // namespace

std::optional<WideElu> elu_of(std::span<const PackedOp> ops, std::size_t channel) {
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

bool have_elus(std::span<const PackedOp> ops, std::size_t channels) {
    for (std::size_t c = 0; c < channels; ++c) {
        if (!elu_of(ops, c)) {
            return false;
        }
    }
    return true;
}

std::optional<WideLeaky> leaky_of(std::span<const PackedOp> ops, std::size_t channel) {
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

bool have_leaky_relus(std::span<const PackedOp> ops, std::size_t channels) {
    for (std::size_t c = 0; c < channels; ++c) {
        if (!leaky_of(ops, c)) {
            return false;
        }
    }
    return true;
}

WideSum WideSumOps::of(std::size_t channel) const {
    WideSum sum{.of_tensor = tensor.scale};
    if (linear != nullptr) {
        sum.scale = linear->a[channel];
        sum.shift = linear->kind == Kind::kScale ? 0.0f : linear->b[channel];
    }
    return sum;
}

std::optional<WideSumOps> sum_ops_of(std::span<const PackedOp> ops, std::size_t channels) {
    if (ops.empty() || !sums_bytes(ops[0])) {
        return std::nullopt;
    }
    WideSumOps sum{.tensor = ops[0].binary, .activation = ops.subspan(1)};
    const auto is_linear = [](const PackedOp& op) {
        return op.kind == Kind::kScale || op.kind == Kind::kLinear;
    };
    if (!sum.activation.empty() && is_linear(sum.activation[0])) {
        sum.linear = sum.activation.data();
        sum.activation = sum.activation.subspan(1);
    }
    return have_elus(sum.activation, channels) ? std::optional(sum) : std::nullopt;
}

}  // namespace fuseq::kernels::gemm
