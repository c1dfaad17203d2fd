// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     (x * a) * b == x * (a * b), per-tensor or per-channel
// Before:  [Scale(a), Scale(b)]   After: [Scale(a * b)]
// Refuses: the product overflows or vanishes.
#include "cpu/post_ops/laws/laws.hpp"
#include "cpu/post_ops/values.hpp"

namespace fuseq::post_ops::laws {

Result fold_scales(const Site& site) {
    const auto* first = site.get<Scale>(0);
    const auto* second = site.get<Scale>(1);
    if (first == nullptr || second == nullptr) {
        return nothing();
    }
    std::optional<Values> both = product(first->by, second->by);
    return both ? replace(2, {Scale{std::move(*both)}})
                : refuse("the product of two scales does not fit a float");
}

}  // namespace fuseq::post_ops::laws
