// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     relu(x) * s == relu(x * s) for every s >= 0; so for leaky relu, prelu and abs
// Before:  [Relu, Scale(s)]   After: [Scale(s), Relu]
// Refuses: s < 0 in some channel (the sign would be lost).

#include <fmt/core.h>

#include "cpu/post_ops/laws/laws.hpp"
#include "fuseq/error.hpp"

namespace fuseq::post_ops::laws {

Result scale_over_relu(const Site& site) {
    const auto* eltwise = site.get<Eltwise>();
    const bool homogeneous = site.get<Prelu>() != nullptr ||
                             (eltwise != nullptr && (eltwise->kind == EltwiseKind::kRelu ||
                                                     eltwise->kind == EltwiseKind::kAbs));
    const auto* scale = site.get<Scale>(1);
    if (!homogeneous || scale == nullptr) {
        return nothing();
    }
    const BasicOp& op = site.chain.ops[site.at];
    if (scale->by.min() < 0.0f) {
        return refuse(fmt::format("negative scale {:g} after {}", scale->by.min(), to_text(op)));
    }
    return replace(2, {*scale, op});
}

}  // namespace fuseq::post_ops::laws
