// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     clip(clip(x, a, b) + n, c, d) == clip(x, a', b') + n with a' = clip(a, c - n, d - n),
//          b' = clip(b, c - n, d - n)
// Before:  [Round, Clip(0, 255), Shift(-128), Relu]   After: [Round, Clip(128, 255), Shift(-128)]
//          A relu or clamp after an FQ joins the clip of the FQ, which stays a quantizer: its
//          shift is last now, and can cross the round. Elsewhere shift_over_clip brings the clips
//          together.
// Refuses: a bound less the shift is no float; a per-tensor clip would become per-channel.
#include "cpu/post_ops/laws/bounds.hpp"

namespace fuseq::post_ops::laws {
namespace {

// Every bound less the shift; nothing when one of them does not come back by adding it.
std::optional<Values> less(const Values& bounds, float shift) {
    const Values moved = combine(bounds, Values(shift), [](double v, double n) { return v - n; });
    for (std::size_t c = 0; c < moved.size(); ++c) {
        if (moved[c] + shift != bounds[c]) {
            return std::nullopt;
        }
    }
    return moved;
}

}  // namespace

Result clip_over_shift(const Site& site) {
    const auto* clip = site.get<Clip>(0);
    const auto* shift = site.get<Shift>(1);
    const std::optional<Clip> outer = bounds_at(site, 2);
    if (clip == nullptr || shift == nullptr || !outer || !site.after_round() ||
        !shift->by.per_tensor()) {
        return nothing();
    }
    if (per_tensor(*clip) && !per_tensor(*outer)) {
        return refuse("the second clip is per-channel and would make the first one so");
    }
    const std::optional<Values> low = less(outer->low, shift->by[0]);
    const std::optional<Values> high = less(outer->high, shift->by[0]);
    if (!low || !high) {
        return refuse("a bound of the second clip less the shift does not fit a float");
    }
    const auto inside = [&](const Values& bound) {
        const Values raised =
            combine(bound, *low, [](double v, double low_end) { return std::max(v, low_end); });
        return combine(raised, *high,
                       [](double v, double high_end) { return std::min(v, high_end); });
    };
    return replace(3, {Clip{.low = inside(clip->low), .high = inside(clip->high)}, *shift});
}

}  // namespace fuseq::post_ops::laws
