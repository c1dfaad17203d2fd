// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/slow_layers.hpp"

#include <algorithm>
#include <cmath>

namespace fuseq::cpu {

std::vector<SlowLayer> slower_in_int8(std::span<const LayerTime> int8,
                                      std::span<const LayerTime> in_float) {
    std::vector<SlowLayer> slow;
    for (const LayerTime& mine : int8) {
        const auto other = std::find_if(in_float.begin(), in_float.end(),
                                        [&](const LayerTime& t) { return t.layer == mine.layer; });
        if (other == in_float.end() || !std::isfinite(mine.us) || !std::isfinite(other->us)) {
            continue;
        }
        if (mine.us > other->us * kSlowerBy && mine.us - other->us > kSlowerByUs) {
            slow.push_back({mine.layer, mine.us, other->us});
        }
    }
    return slow;
}

}  // namespace fuseq::cpu
