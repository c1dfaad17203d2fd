// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     store(clip(x, a, b)) == store(x) when [round(a), round(b)] contains the range of dst
// Before:  [.., Clip(0, 255)] -> u8,  [.., Relu] -> u8   After: [..] -> u8
//          [.., Clip(0, 127)] -> i8   After: [.., Relu] -> i8, the cheaper one
// Refuses: the clip is narrower than the range of dst.
#include <cmath>

#include <fmt/core.h>

#include "cpu/post_ops/interval.hpp"
#include "cpu/post_ops/laws/bounds.hpp"
#include "fuseq/error.hpp"

namespace fuseq::post_ops::laws {

Result drop_clip_before_store(const Site& site) {
    const std::optional<Clip> clip = bounds_at(site, 0);
    if (!clip || !site.last(1) || is_real(site.chain.dst_type)) {
        return nothing();
    }
    const Interval dst = range_of(site.chain.dst_type);
    const float low = clip->low.max();
    const float high = clip->high.min();
    const bool high_implied = std::nearbyint(high) >= dst.high;
    if (high_implied && site.get<Clip>() != nullptr && clip->low.all_equal_to(0.0f) &&
        dst.low < 0.0) {
        return replace(1, {Eltwise{}});
    }
    if (std::nearbyint(low) > dst.low || !high_implied) {
        return refuse(fmt::format("clip to [{:g}, {:g}] is narrower than {}", low, high,
                                  to_string(site.chain.dst_type)));
    }
    return replace(1, {});
}

}  // namespace fuseq::post_ops::laws
