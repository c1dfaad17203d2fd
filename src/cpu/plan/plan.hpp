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

namespace fuseq::cpu {

// Steps [first, last) are walked over together: each thread takes its share of the rows, `part` of
// them at a time. In a band the second step reads windows of rows that the first one writes: the
// first runs ahead to the last row that a part reads, and what two parts read is kept.
struct TileGroup {
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t rows = 0;
    std::size_t grain = 1;
    std::size_t share_grain = 1;  // shares of threads begin at its multiples
    std::size_t part = 0;
    std::size_t threads = 1;
    std::optional<RowWindow> band{};  // `rows`, `grain` and `part` are those of its results
};

struct Plan {
    std::vector<PlanTensor> tensors;
    std::vector<std::unique_ptr<Step>> steps;
    std::vector<TensorId> inputs;   // one a Parameter
    std::vector<TensorId> outputs;  // one a Result
    std::vector<TileGroup> walks;   // by their first steps
    std::size_t arena_bytes = 0;

    // Memory that keeping this plan and one request on it costs: arena, packed weights, constants
    // that the plan made itself.
    std::size_t bytes() const;
    // The tensor whose memory `id` uses.
    TensorId root(TensorId id) const;
};

// Gives every arena tensor its offset.
void plan_memory(Plan& plan);

}  // namespace fuseq::cpu
