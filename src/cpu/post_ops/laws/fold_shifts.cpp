// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     (x + a) + b == x + (a + b), per-tensor or per-channel
// Before:  [Shift(a), Shift(b)]   After: [Shift(a + b)]
// Refuses: the sum overflows.
#include "cpu/post_ops/laws/laws.hpp"
#include "cpu/post_ops/values.hpp"

namespace fuseq::post_ops::laws {

Result fold_shifts(const Site& site) {
    const auto* first = site.get<Shift>(0);
    const auto* second = site.get<Shift>(1);
    if (first == nullptr || second == nullptr) {
        return nothing();
    }
    std::optional<Values> both = sum(first->by, second->by);
    return both ? replace(2, {Shift{std::move(*both)}})
                : refuse("the sum of two shifts does not fit a float");
}

}  // namespace fuseq::post_ops::laws
