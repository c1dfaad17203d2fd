// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     (x + a) * b == x * b + a * b
// Before:  [Shift(a), Scale(b)]   After: [Scale(b), Shift(a * b)]
//          With fold_scales and fold_shifts: (x * A + B) * C == x * (A * C) + B * C.
// Refuses: the product overflows or vanishes; the chain begins so, a rounding follows, and a * b is
//          so many steps that x * b would lose the fraction of a step (the range of an FQ far from
//          zero: lower_fake_quantize subtracts first for this reason).
#include <cmath>

#include <fmt/core.h>

#include "cpu/post_ops/laws/laws.hpp"
#include "cpu/post_ops/values.hpp"
#include "fuseq/error.hpp"

namespace fuseq::post_ops::laws {
namespace {

constexpr float kFarFromZero = 512.0f;  // as in lower.cpp

bool rounding_follows(const Site& site) {
    if (!is_real(site.chain.dst_type)) {
        return true;
    }
    for (std::size_t i = site.at; i < site.chain.ops.size(); ++i) {
        if (std::holds_alternative<Round>(site.chain.ops[i])) {
            return true;
        }
    }
    return false;
}

}  // namespace

Result scale_before_shift(const Site& site) {
    const auto* shift = site.get<Shift>(0);
    const auto* scale = site.get<Scale>(1);
    if (shift == nullptr || scale == nullptr) {
        return nothing();
    }
    const std::optional<Values> offset = product(shift->by, scale->by);
    if (!offset) {
        return refuse("shift times scale does not fit a float");
    }
    const auto far = [](float v) { return std::abs(v) > kFarFromZero; };
    const std::size_t channel = first_channel(*offset, far);
    if (site.at == 0 && channel < offset->size() && rounding_follows(site)) {
        return refuse(fmt::format(
            "the range begins {:g} steps from zero; x * scale would lose the fraction of a step",
            std::abs((*offset)[channel])));
    }
    return replace(2, {*scale, Shift{*offset}});
}

}  // namespace fuseq::post_ops::laws
