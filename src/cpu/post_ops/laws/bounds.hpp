// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A clip and a relu are the same thing to the laws of clips: bounds.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "cpu/post_ops/laws/laws.hpp"
#include "cpu/post_ops/values.hpp"

namespace fuseq::post_ops::laws {

inline constexpr float kNoBound = std::numeric_limits<float>::infinity();

inline bool is_relu(const BasicOp& op) {
    const auto* eltwise = std::get_if<Eltwise>(&op);
    return eltwise != nullptr && eltwise->kind == EltwiseKind::kRelu && eltwise->alpha == 0.0f &&
           eltwise->scale == 1.0f;
}

// A Clip as it is, a plain Relu as Clip(0, infinity); nothing for other operations.
inline std::optional<Clip> bounds_at(const Site& site, std::size_t offset) {
    if (site.at + offset >= site.chain.ops.size()) {
        return std::nullopt;
    }
    const BasicOp& op = site.chain.ops[site.at + offset];
    if (const auto* clip = std::get_if<Clip>(&op)) {
        return *clip;
    }
    return is_relu(op) ? std::optional<Clip>({.low = 0.0f, .high = kNoBound}) : std::nullopt;
}

inline bool per_tensor(const Clip& clip) {
    return clip.low.per_tensor() && clip.high.per_tensor();
}

inline bool whole_or_no_bound(const Values& values) {
    return all(values, [](float v) { return std::isinf(v) || v == std::nearbyint(v); });
}

}  // namespace fuseq::post_ops::laws
