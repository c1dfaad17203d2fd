// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     clip(x, a, b) * s == clip(x * s, a * s, b * s) for s >= 0, bounds swapped for s < 0
// Before:  [Clip(a, b), Scale(s)]   After: [Scale(s), Clip(a * s, b * s)]
// Refuses: the clip follows a round (a quantizer stays in integers); a per-tensor clip would become
//          per-channel; a bound overflows.
#include "cpu/post_ops/laws/bounds.hpp"

namespace fuseq::post_ops::laws {

Result scale_over_clip(const Site& site) {
    const auto* clip = site.get<Clip>(0);
    const auto* scale = site.get<Scale>(1);
    if (clip == nullptr || scale == nullptr) {
        return nothing();
    }
    if (site.after_round()) {
        return refuse("the clip belongs to a quantizer and stays in integers");
    }
    const std::optional<Values> a = product(clip->low, scale->by);
    const std::optional<Values> b = product(clip->high, scale->by);
    if (!a || !b) {
        return refuse("a bound of the clip times the scale does not fit a float");
    }
    const Clip scaled{.low = combine(*a, *b, [](double x, double y) { return std::min(x, y); }),
                      .high = combine(*a, *b, [](double x, double y) { return std::max(x, y); })};
    if (per_tensor(*clip) && !per_tensor(scaled)) {
        return refuse("the scale is per-channel and would make the clip per-channel");
    }
    return replace(2, {*scale, scaled});
}

}  // namespace fuseq::post_ops::laws
