// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     (x + t) * s == x * s + t * s;  (x * t) * s == (x * s) * t;
//          max(x, t) * s == max(x * s, t * s) for s > 0, and so min
// Before:  [Add(#0, scale d), Scale(s)]   After: [Scale(s), Add(#0, scale d * s)]
// Refuses: s is per-channel and the input has one scale (add, max, min); s is zero, or negative
//          (max, min); the product overflows.

#include <fmt/core.h>

#include "cpu/post_ops/laws/laws.hpp"
#include "cpu/post_ops/values.hpp"
#include "fuseq/error.hpp"

namespace fuseq::post_ops::laws {

Result scale_over_binary(const Site& site) {
    const auto* binary = site.get<Binary>(0);
    const auto* scale = site.get<Scale>(1);
    if (binary == nullptr || scale == nullptr) {
        return nothing();
    }
    if (binary->kind == BinaryKind::kMul) {
        return replace(2, {*scale, *binary});
    }
    if (!scale->by.per_tensor()) {
        return refuse("the scale is per-channel and input #" + std::to_string(binary->input) +
                      " has one scale");
    }
    const float by = scale->by[0];
    if (by == 0.0f || (by < 0.0f && binary->kind != BinaryKind::kAdd)) {
        return refuse(fmt::format("scale {:g} after {}", by, to_text(*binary)));
    }
    const std::optional<Values> both = product(binary->scale, by);
    if (!both) {
        return refuse("the product of two scales does not fit a float");
    }
    Binary scaled = *binary;
    scaled.scale = (*both)[0];
    return replace(2, {*scale, scaled});
}

}  // namespace fuseq::post_ops::laws
