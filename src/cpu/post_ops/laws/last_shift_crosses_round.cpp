// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     clip(round(x), a, b) + n == clip(round(x + n), a + n, b + n) for integers n, up to ties
//          (an odd n moves a tie to the other neighbour)
// Before:  [.., Round, Clip(a, b), Shift(n)] -> u8   After: [.., Shift(n), Round, Clip(a+n, b+n)]
//          Only before an integer store: the output shift of the last FQ joins its input shift.
// Refuses: n is not an integer; n is per-channel and the clip would become per-channel.
#include <cmath>

#include <fmt/core.h>

#include "cpu/post_ops/laws/bounds.hpp"
#include "fuseq/error.hpp"

namespace fuseq::post_ops::laws {

Result last_shift_crosses_round(const Site& site) {
    if (site.get<Round>() == nullptr || is_real(site.chain.dst_type)) {
        return nothing();
    }
    const std::optional<Clip> clip = bounds_at(site, 1);
    const std::size_t count = clip ? 3 : 2;
    const auto* shift = site.get<Shift>(count - 1);
    if (shift == nullptr || !site.last(count)) {
        return nothing();
    }
    if (!all_integers(shift->by)) {
        const auto broken = [](float v) { return v != std::nearbyint(v); };
        const std::size_t channel = first_channel(shift->by, broken);
        return refuse(fmt::format("the last shift is {:g} in channel {}, which is not an integer",
                                  shift->by[channel], channel));
    }
    if (!clip) {
        return replace(count, {*shift, Round{}});
    }
    if (!shift->by.per_tensor() && per_tensor(*clip)) {
        return refuse("the last shift is per-channel and would make the clip per-channel");
    }
    const std::optional<Values> low = sum(clip->low, shift->by);
    const std::optional<Values> high = sum(clip->high, shift->by);
    if (!low || !high) {
        return refuse("a bound of the clip plus the last shift does not fit a float");
    }
    return replace(count, {*shift, Round{}, Clip{.low = *low, .high = *high}});
}

}  // namespace fuseq::post_ops::laws
