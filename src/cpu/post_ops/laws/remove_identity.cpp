// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     x * 1 == x,  x + 0 == x,  clip(x, -inf, inf) == x,  relu with slope 1 == x
// Before:  [.., Scale(1), ..]   After: [.., ..]
#include "cpu/post_ops/laws/bounds.hpp"

namespace fuseq::post_ops::laws {
namespace {

constexpr float kMaxFloat = std::numeric_limits<float>::max();

bool is_identity(const BasicOp& op) {
    if (const auto* scale = std::get_if<Scale>(&op)) {
        return scale->by.all_equal_to(1.0f);
    }
    if (const auto* shift = std::get_if<Shift>(&op)) {
        return shift->by.all_equal_to(0.0f);
    }
    if (const auto* clip = std::get_if<Clip>(&op)) {
        return clip->low.max() <= -kMaxFloat && clip->high.min() >= kMaxFloat;
    }
    if (const auto* prelu = std::get_if<Prelu>(&op)) {
        return prelu->slope.all_equal_to(1.0f);
    }
    if (const auto* eltwise = std::get_if<Eltwise>(&op)) {
        return eltwise->kind == EltwiseKind::kRelu && eltwise->alpha == 1.0f &&
               eltwise->scale == 1.0f;
    }
    return false;
}

}  // namespace

Result remove_identity(const Site& site) {
    return is_identity(site.chain.ops[site.at]) ? replace(1, {}) : nothing();
}

}  // namespace fuseq::post_ops::laws
