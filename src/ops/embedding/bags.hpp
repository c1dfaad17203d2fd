// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How the rows of a table are put into bags: what the embedding operations have beside the table.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ops/op_spec.hpp"

namespace fuseq {

// Inputs from the indices on:
//   kOffsets:  indices [n], offsets [bags], default_index, weights [n]
//   kPacked:   indices [bags, n], weights [bags, n]
//   kSegments: indices [n], segment_ids [n], num_segments, default_index, weights [n]
enum class BagForm { kOffsets, kPacked, kSegments };

// Numbers of inputs, `first` that of the indices.
struct BagInputs {
    BagForm form;
    std::size_t first = 1;

    std::size_t default_index() const { return first + (form == BagForm::kOffsets ? 2 : 3); }
    std::size_t weights() const {
        return first + (form == BagForm::kPacked ? 1 : form == BagForm::kOffsets ? 3 : 4);
    }
};

// The number of bags. Checks all of these inputs but the type of the weights.
Dimension infer_bags(const InferContext& context, const BagInputs& inputs);

// Bag of each index, and what else the sum needs.
struct Bags {
    std::size_t count = 0;
    std::vector<std::size_t> bag_of;  // one an index
    std::vector<std::int64_t> indices;
    std::optional<std::int64_t> fallback;  // row of empty bags; zeros without it
    std::size_t weights = SIZE_MAX;        // input of the weights

    // Indices, as places in `indices`, of each bag.
    std::vector<std::vector<std::size_t>> members() const;
};
Bags read_bags(const EvalContext& context, const BagInputs& inputs);

// Fails where a table of so many rows has no such one.
std::size_t checked_row(const EvalContext& context, std::int64_t index, std::size_t rows);

}  // namespace fuseq
