// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Offsets in one arena from lifetimes: tensors that are never alive at the same time share memory.
#pragma once

#include <cstddef>
#include <vector>

#include "cpu/plan/passes/plan_pass.hpp"

namespace fuseq::cpu {

// A block of memory needed by the steps first, ..., last (closed interval).
struct Lifetime {
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t bytes = 0;
};

struct ArenaPlan {
    std::vector<std::size_t> offsets;  // one a lifetime, multiples of kArenaAlignment
    std::size_t bytes = 0;             // size of the arena
};

inline constexpr std::size_t kArenaAlignment = 64;

// Greedy by size: the largest block first, each at the lowest offset that is free of the blocks
// placed before it whose lifetimes overlap with its own.
ArenaPlan plan_arena(const std::vector<Lifetime>& lifetimes);

// Gives every arena tensor its offset.
bool arena(Plan& plan, PlanPassContext& context);

}  // namespace fuseq::cpu
