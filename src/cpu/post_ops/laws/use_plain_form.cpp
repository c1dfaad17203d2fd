// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     an activation that is made of scales, shifts and clips is written so, because these fold
//          into what stands around them:
//          hsigmoid(x) == clip(x / 6 + 1/2, 0, 1),  hard_sigmoid(x) == clip(alpha * x + beta, 0,
//          1), s * relu(x) == relu(s * x) for s >= 0,  prelu with one slope == leaky relu, power(x,
//          1) == alpha * x
// Before:  [Hsigmoid]   After: [Scale(1/6), Shift(1/2), Clip(0, 1)]
#include "cpu/post_ops/laws/laws.hpp"

namespace fuseq::post_ops::laws {
namespace {

Result clipped_line(const Eltwise& op, float slope, float offset) {
    return replace(1,
                   {Scale{slope}, Shift{offset}, Clip{.low = 0.0f, .high = 1.0f}, Scale{op.scale}});
}

Result plain(const Eltwise& op) {
    switch (op.kind) {
        case EltwiseKind::kHsigmoid: return clipped_line(op, 1.0f / 6.0f, 0.5f);
        case EltwiseKind::kHardSigmoid: return clipped_line(op, op.alpha, op.beta);
        case EltwiseKind::kRelu:
            if (op.scale != 1.0f && op.scale >= 0.0f) {
                Eltwise unscaled = op;
                unscaled.scale = 1.0f;
                return replace(1, {Scale{op.scale}, unscaled});
            }
            return nothing();
        case EltwiseKind::kPower:
            return op.beta == 1.0f ? replace(1, {Scale{op.alpha}, Scale{op.scale}}) : nothing();
        default: return nothing();
    }
}

}  // namespace

Result use_plain_form(const Site& site) {
    if (const auto* prelu = site.get<Prelu>(); prelu != nullptr && prelu->slope.per_tensor()) {
        return replace(1, {Eltwise{.kind = EltwiseKind::kRelu, .alpha = prelu->slope[0]}});
    }
    const auto* eltwise = site.get<Eltwise>();
    return eltwise != nullptr ? plain(*eltwise) : nothing();
}

}  // namespace fuseq::post_ops::laws
