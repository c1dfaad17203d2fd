// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     store(round(x)) == store(x) for an integer store, which rounds half to even itself;
//          round and clip to integers commute
// Before:  [.., Round, Clip(a, b)] -> u8   After: [.., Clip(a, b)] -> u8
// Refuses: the clip has a bound that is not an integer.
#include "cpu/post_ops/laws/bounds.hpp"

namespace fuseq::post_ops::laws {

Result drop_last_round(const Site& site) {
    if (site.get<Round>() == nullptr || is_real(site.chain.dst_type)) {
        return nothing();
    }
    if (site.last(1)) {
        return replace(1, {});
    }
    const std::optional<Clip> clip = bounds_at(site, 1);
    if (!clip || !site.last(2)) {
        return nothing();
    }
    if (!whole_or_no_bound(clip->low) || !whole_or_no_bound(clip->high)) {
        return refuse("the clip after the last round has a bound that is not an integer");
    }
    return replace(1, {});
}

}  // namespace fuseq::post_ops::laws
