// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The plan: a flat list of steps over a table of tensors. Made once for a set of input shapes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cpu/steps/plan_tensor.hpp"
#include "cpu/steps/step.hpp"
#include "transformations/pass.hpp"

namespace fuseq::cpu {

// A depth-first tile group: steps [first, last) run on `part` rows (pixels) at a time, one step
// after the other, each thread on its share of the rows. With producer-consumer tiling the second
// step reads windows of rows that the first one writes: the first runs ahead to the last row that a
// part reads, and the rows that two parts read are kept.
struct TileGroup {
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t rows = 0;
    std::size_t grain = 1;
    std::size_t share_grain = 1;  // shares of threads begin at its multiples
    std::size_t part = 0;
    std::size_t threads = 1;
    // Producer-consumer tiling: what the second step reads of the first one's result. `rows`,
    // `grain` and `part` are those of the second step's results.
    std::optional<RowWindow> window{};
};

struct Plan {
    std::vector<PlanTensor> tensors;
    std::vector<std::unique_ptr<Step>> steps;
    std::vector<TensorId> inputs;        // one a Parameter
    std::vector<TensorId> outputs;       // one a Result
    std::vector<TileGroup> tile_groups;  // by their first steps
    std::size_t arena_bytes = 0;
    std::vector<Remark> remarks;  // what the passes did; `layer` is the name of a step

    // Memory that keeping this plan and one request on it costs: arena, packed weights, constants
    // that the plan made itself.
    std::size_t bytes() const;
    // The tensor whose memory `id` uses.
    TensorId root(TensorId id) const;
};

}  // namespace fuseq::cpu
