// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     clip(x, a, b) == x when x is always in [a, b]; relu(x) == abs(x) == x when x >= 0
// Before:  [Sigmoid, Clip(0, 1)]   After: [Sigmoid]
//          The range of x is followed from the input of the chain.
#include "cpu/post_ops/interval.hpp"
#include "cpu/post_ops/laws/bounds.hpp"

namespace fuseq::post_ops::laws {
namespace {

// Operations that keep x >= 0 as it is.
bool keeps_positive(const BasicOp& op) {
    if (std::holds_alternative<Prelu>(op)) {
        return true;
    }
    const auto* eltwise = std::get_if<Eltwise>(&op);
    return eltwise != nullptr && eltwise->scale == 1.0f &&
           (eltwise->kind == EltwiseKind::kRelu || eltwise->kind == EltwiseKind::kAbs ||
            eltwise->kind == EltwiseKind::kElu);
}

}  // namespace

Result drop_clip_in_range(const Site& site) {
    const BasicOp& op = site.chain.ops[site.at];
    const auto* clip = std::get_if<Clip>(&op);
    if (clip == nullptr && !keeps_positive(op)) {
        return nothing();
    }
    const Interval x = interval_before(site.chain, site.at, site.options);
    const bool inside =
        clip != nullptr ? clip->low.max() <= x.low && x.high <= clip->high.min() : x.low >= 0.0;
    return inside ? replace(1, {}) : nothing();
}

}  // namespace fuseq::post_ops::laws
