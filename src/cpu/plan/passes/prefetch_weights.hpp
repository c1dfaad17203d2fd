// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A layer of few pixels, or one of oneDNN's, reads weights faster than they come from beyond L2.
// Matrix products before it, which wait for no memory, fetch these weights while they multiply.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cpu/plan/passes/plan_pass.hpp"

namespace fuseq::cpu {

// What a step wants and what it can do for others, in bytes.
struct FetchStep {
    std::size_t wanted = 0;  // of its weights, to be in L2 before it begins
    std::size_t room = 0;    // that it can fetch for itself and others while it runs
    std::size_t own = 0;     // of those: its own weights, but for those that earlier steps fetch
    std::size_t limit = 0;   // that may lie in L2 while it runs, for steps after it
};

// Bytes [begin, end) of the weights of a step.
struct Fetch {
    std::size_t step = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
};

// What each step fetches, in the order in which it will be read: of each step that wants something
// the first bytes, as many as the steps before it have room for, as late as they can.
std::vector<std::vector<Fetch>> plan_fetches(std::span<const FetchStep> steps);

// Tells the steps that can fetch weights what to fetch. For one thread; with several, each part
// fetches the beginning of the next product's part (prefetch_next_weights.hpp). The steps must stay
// where they are.
bool prefetch_weights(Plan& plan, PlanPassContext& context);

}  // namespace fuseq::cpu
