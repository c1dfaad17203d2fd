// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     clip(clip(x, a, b), c, d) == clip(x, clip(a, c, d), clip(b, c, d)); relu == clip(x, 0,
// inf) Before:  [Relu, Clip(-1, 6)]   After: [Clip(0, 6)]
#include "cpu/post_ops/laws/bounds.hpp"

namespace fuseq::post_ops::laws {

Result join_clips(const Site& site) {
    const std::optional<Clip> first = bounds_at(site, 0);
    const std::optional<Clip> second = bounds_at(site, 1);
    if (!first || !second) {
        return nothing();
    }
    if (is_relu(site.chain.ops[site.at]) && is_relu(site.chain.ops[site.at + 1])) {
        return replace(2, {site.chain.ops[site.at]});
    }
    const auto into_second = [&](const Values& bound) {
        const Values raised =
            combine(bound, second->low, [](double v, double low) { return std::max(v, low); });
        return combine(raised, second->high,
                       [](double v, double high) { return std::min(v, high); });
    };
    return replace(2, {Clip{.low = into_second(first->low), .high = into_second(first->high)}});
}

}  // namespace fuseq::post_ops::laws
