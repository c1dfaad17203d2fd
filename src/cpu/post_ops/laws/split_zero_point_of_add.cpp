// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     x + (e - z) * s == (x - z * s) + e * s
// Before:  [Add(zero point z, scale s)]   After: [Shift(-z * s), Add(scale s)]
//          The shift goes into the bias; the raw integers can be added.
// Refuses: z * s overflows.
#include "cpu/post_ops/laws/laws.hpp"
#include "cpu/post_ops/values.hpp"

namespace fuseq::post_ops::laws {

Result split_zero_point_of_add(const Site& site) {
    const auto* add = site.get<Binary>();
    if (add == nullptr || add->kind != BinaryKind::kAdd || add->zero_point == 0.0f) {
        return nothing();
    }
    const std::optional<Values> offset = product(-add->zero_point, add->scale);
    if (!offset) {
        return refuse("zero point times scale of input #" + std::to_string(add->input) +
                      " does not fit a float");
    }
    Binary plain = *add;
    plain.zero_point = 0.0f;
    return replace(1, {Shift{*offset}, plain});
}

}  // namespace fuseq::post_ops::laws
