// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     (x + t) + c == (x + c) + t
// Before:  [Add(#0), Shift(c)]   After: [Shift(c), Add(#0)]
//          The shift joins the bias.
// Refuses: multiply, max and min, of which the law does not hold.
#include "cpu/post_ops/laws/laws.hpp"

namespace fuseq::post_ops::laws {

Result shift_over_binary(const Site& site) {
    const auto* binary = site.get<Binary>(0);
    const auto* shift = site.get<Shift>(1);
    if (binary == nullptr || shift == nullptr) {
        return nothing();
    }
    if (binary->kind != BinaryKind::kAdd) {
        return refuse("a shift after " + to_text(*binary) + " does not commute with it");
    }
    return replace(2, {*shift, *binary});
}

}  // namespace fuseq::post_ops::laws
