// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/slot_lifetimes.hpp"

#include <algorithm>

namespace fuseq {

std::vector<std::vector<std::size_t>> slots_to_free(std::span<const SlotUse> steps,
                                                    std::vector<bool> kept) {
    std::vector<std::vector<std::size_t>> result(steps.size());
    for (std::size_t i = steps.size(); i-- > 0;) {
        // Backwards: the first step that names a slot is its last reader, or its writer.
        const auto free = [&](std::size_t slot) {
            if (slot != kNoSlot && !kept[slot]) {
                kept[slot] = true;
                result[i].push_back(slot);
            }
        };
        std::for_each(steps[i].reads.begin(), steps[i].reads.end(), free);
        std::for_each(steps[i].writes.begin(), steps[i].writes.end(), free);
    }
    return result;
}

}  // namespace fuseq
