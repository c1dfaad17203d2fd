// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     clamp((q - z) * s, low, high) = (clamp(q, low / s + z, high / s + z) - z) * s, s > 0.
//   Before:  DQ(q) -> Clamp
//   After:   DQ(q): the Clamp goes, where both bounds lie outside what q can be
//            Clamp(q) -> DQ: where each bound that matters is a whole number of steps
//   Refuses: a scale that is not positive (scale_sign), a bound between two steps
//            (bound_between_steps) or where no integer of the type is (bound_outside), values per
//            channel that need different bounds (per_channel_bounds).
//   Source:  DESIGN.md section 5, range laws.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "ops/clamp.hpp"
#include "transformations/low_precision/laws/law.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace {

// Bounds such as 6 and scales such as 6/255 are rounded; their quotient is whole to within this.
constexpr double kClampNoise = 1e-4;

double in_steps(float bound, float scale, float zero_point) {
    return static_cast<double>(bound) / scale + zero_point;
}

}  // namespace

LawResult move_through_clamp(Node& node, const Dequantize& dq) {
    if (!keeps_order(dq)) {
        return order_refused();
    }
    const bool is_signed = dq.q.type() == ElementType::i8;
    const double lowest = is_signed ? -128 : 0;
    const double highest = is_signed ? 127 : 255;
    const auto& attrs = node.attrs<ClampAttrs>();
    double low = lowest;
    double high = highest;
    for (std::size_t c = 0; c < std::max(dq.scale.size(), dq.zero_point.size()); ++c) {
        // Beyond the range of the integers nothing is cut off.
        const double l = std::max(in_steps(attrs.min, dq.scale[c], dq.zero_point[c]), lowest);
        const double h = std::min(in_steps(attrs.max, dq.scale[c], dq.zero_point[c]), highest);
        if (l > highest || h < lowest) {
            return LawResult::refused("bound_outside", "a bound is no integer of the type");
        }
        if (c > 0 && (std::abs(l - low) > kClampNoise || std::abs(h - high) > kClampNoise)) {
            return LawResult::refused("per_channel_bounds",
                                      "the bounds are different integers in different channels");
        }
        low = l;
        high = h;
    }
    for (double* bound : {&low, &high}) {
        const double whole = std::nearbyint(*bound);
        if (!(std::abs(*bound - whole) <= kClampNoise)) {
            return LawResult::refused("bound_between_steps",
                                      fmt::format("a bound is {:g} steps", *bound));
        }
        *bound = whole;
    }
    if (low == lowest && high == highest) {
        add_origins(*node.input_node(0), node);
        redirect(node.output(), node.input(0));
        return LawResult::moved();
    }
    node.attrs<ClampAttrs>().min = static_cast<float>(low);
    node.attrs<ClampAttrs>().max = static_cast<float>(high);
    read_integers(node, dq);
    put_dequantize_after(node, 0, dq);
    return LawResult::moved();
}

}  // namespace fuseq
