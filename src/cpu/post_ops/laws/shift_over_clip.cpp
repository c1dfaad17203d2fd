// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     clip(x, a, b) + t == clip(x + t, a + t, b + t); relu(x) + t == clip(x + t, t, inf)
// Before:  [Relu, Shift(t)]   After: [Shift(t), Clip(t, inf)]
//          The shift joins the bias.
// Refuses: the clip follows a round (a quantizer stays in integers); a per-tensor clip would become
//          per-channel; a bound overflows.
#include "cpu/post_ops/laws/bounds.hpp"

namespace fuseq::post_ops::laws {

Result shift_over_clip(const Site& site) {
    const std::optional<Clip> clip = bounds_at(site, 0);
    const auto* shift = site.get<Shift>(1);
    if (!clip || shift == nullptr) {
        return nothing();
    }
    if (site.after_round()) {
        return refuse("the clip belongs to a quantizer and stays in integers");
    }
    if (per_tensor(*clip) && !shift->by.per_tensor()) {
        return refuse("the shift is per-channel and would make the clip per-channel");
    }
    const std::optional<Values> low = sum(clip->low, shift->by);
    const std::optional<Values> high = sum(clip->high, shift->by);
    if (!low || !high) {
        return refuse("a bound of the clip plus the shift does not fit a float");
    }
    return replace(2, {*shift, Clip{.low = *low, .high = *high}});
}

}  // namespace fuseq::post_ops::laws
