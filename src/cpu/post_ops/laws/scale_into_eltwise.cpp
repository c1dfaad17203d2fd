// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     (d * f(x)) * s == (d * s) * f(x)
// Before:  [Eltwise(f, scale d), Scale(s)]   After: [Eltwise(f, scale d * s)]
// Refuses: s is per-channel (an eltwise has one scale); the product overflows.
#include "cpu/post_ops/laws/laws.hpp"
#include "cpu/post_ops/values.hpp"

namespace fuseq::post_ops::laws {

Result scale_into_eltwise(const Site& site) {
    const auto* eltwise = site.get<Eltwise>(0);
    const auto* scale = site.get<Scale>(1);
    if (eltwise == nullptr || scale == nullptr) {
        return nothing();
    }
    if (!scale->by.per_tensor()) {
        return refuse("per-channel scale after " + to_text(*eltwise) + ", which has one scale");
    }
    const std::optional<Values> both = product(eltwise->scale, scale->by);
    if (!both) {
        return refuse("the product of two scales does not fit a float");
    }
    Eltwise scaled = *eltwise;
    scaled.scale = (*both)[0];
    return replace(2, {scaled});
}

}  // namespace fuseq::post_ops::laws
