// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The common half of TensorIterator and Loop: shapes that settle over the back edges, and running
// the body.
#pragma once

#include <optional>
#include <vector>

#include "ops/control/subgraph.hpp"

namespace fuseq {

// Infers the body and sets the outputs of the operation. `iterations`: where known.
void infer_iteration(InferContext& context, std::optional<std::int64_t> iterations);

// Number of parts into which inputs are cut; nothing when there is no such input or the size of
// its axis is not known. Inputs that disagree are refused.
std::optional<std::int64_t> inferred_parts(const InferContext& context);

// A trip count from here on stands for "as long as the condition holds": -1, and the largest
// integers that exporters write.
constexpr std::int64_t kOpenTripCount = std::int64_t{1} << 30;
// Iterations after which such a loop is taken for one that does not end.
constexpr std::int64_t kMaxOpenIterations = std::int64_t{1} << 20;

// Runs the body at most `limit` times, fewer when inputs are cut into fewer parts or the body's
// execution condition says stop. Error when an open loop goes on for too long.
void run_iteration(EvalContext& context, std::int64_t limit);

}  // namespace fuseq
