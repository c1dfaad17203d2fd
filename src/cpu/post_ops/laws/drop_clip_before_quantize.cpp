// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     clip(round(clip(x, a, b)), c, d) == clip(round(x), c, d) when round(a) <= c and
//          round(b) >= d
// Before:  [Relu, Round, Clip(0, 255)]   After: [Round, Clip(0, 255)]
//          A relu6 goes so when the quantized range lies inside [0, 6].
// Refuses: the first clip is narrower than the second.
#include <cmath>

#include <fmt/core.h>

#include "cpu/post_ops/laws/bounds.hpp"
#include "fuseq/error.hpp"

namespace fuseq::post_ops::laws {

Result drop_clip_before_quantize(const Site& site) {
    const std::optional<Clip> outer = bounds_at(site, 0);
    const auto* inner = site.get<Clip>(2);
    if (!outer || inner == nullptr || site.get<Round>(1) == nullptr) {
        return nothing();
    }
    const std::size_t channels =
        std::max({outer->low.size(), outer->high.size(), inner->low.size(), inner->high.size()});
    for (std::size_t c = 0; c < channels; ++c) {
        if (std::nearbyint(outer->low[c]) > inner->low[c] ||
            std::nearbyint(outer->high[c]) < inner->high[c]) {
            return refuse(fmt::format(
                "clip to [{:g}, {:g}] is narrower than the quantized range [{:g}, {:g}]",
                outer->low[c], outer->high[c], inner->low[c], inner->high[c]));
        }
    }
    return replace(1, {});
}

}  // namespace fuseq::post_ops::laws
