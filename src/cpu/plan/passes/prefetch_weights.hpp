// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Weights that come from beyond L2 at less than a layer of few pixels, or one of oneDNN's, takes
// them: steps before it that wait for nothing fetch them while they multiply.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cpu/plan/plan.hpp"

namespace fuseq::cpu {

// What a step wants and what it can do for others, in bytes.
struct FetchStep {
    std::size_t wanted = 0;  // of its weights, to be in L2 before it begins
    std::size_t room = 0;    // that it can fetch for itself and others while it runs
    std::size_t own = 0;     // of those: its own weights, but for those that steps in front fetch
    std::size_t limit = 0;   // that may lie in L2 while it runs, for steps after it
};

// Bytes [begin, end) of the weights of a step.
struct Fetch {
    std::size_t step = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
};

// What each step fetches, in the order in which it will be read: of each step that wants something
// the first bytes, as many as the steps in front have room for, as late as they can.
std::vector<std::vector<Fetch>> plan_fetches(std::span<const FetchStep> steps);

// Tells the matrix products of the plan what to fetch. For one thread; with several ones each part
// fetches the beginning of the next product's part. The steps must stay where they are.
void fetch_ahead(Plan& plan);

}  // namespace fuseq::cpu
