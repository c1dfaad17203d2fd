// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The passes over the plan in the order in which they run, and why in that order.
#include "cpu/plan/passes/pipeline.hpp"

#include "cpu/plan/passes/arena.hpp"
#include "cpu/plan/passes/attention_by_heads.hpp"
#include "cpu/plan/passes/concat_slices.hpp"
#include "cpu/plan/passes/depth_to_space_stores.hpp"
#include "cpu/plan/passes/move_to_readers.hpp"
#include "cpu/plan/passes/prefetch_next_weights.hpp"
#include "cpu/plan/passes/prefetch_weights.hpp"
#include "cpu/plan/passes/requantized_results.hpp"
#include "cpu/plan/passes/rounded_sums.hpp"
#include "cpu/plan/passes/tile_groups.hpp"

namespace fuseq::cpu {

const std::vector<PlanPass>& plan_passes() {
    static const std::vector<PlanPass> passes = {
        // First: removes steps, which everything after it counts.
        {"rounded_sums", rounded_sums},
        // Likewise.
        {"requantized_results", requantized_results},
        // After quantizations are stored by the convolution: it moves bytes only.
        {"depth_to_space_stores", depth_to_space_stores},
        // Removes steps too; before their rows become part of a tile group.
        {"attention_by_heads", attention_by_heads},
        // Removes steps too; before groups are made of those that are left.
        {"concat_slices", concat_slices},
        // Orders steps; a tile group is a run of consecutive ones.
        {"move_to_readers", move_to_readers, "", "tile_groups"},
        // When the steps and their order are final. Cuts tensors down, before they get memory.
        {"tile_groups", tile_groups},
        // With the final order; steps of a group take part.
        {"prefetch_next_weights", prefetch_next_weights},
        // Extends what the pass before it chose; not for steps of a tile group.
        {"prefetch_weights", prefetch_weights},
        // Last: lifetimes follow from the order of the steps and from tile groups.
        {"arena", arena, "no tensor would have memory"},
    };
    return passes;
}

}  // namespace fuseq::cpu
