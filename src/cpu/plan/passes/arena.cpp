// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/arena.hpp"

#include <algorithm>
#include <numeric>

namespace fuseq::cpu {
namespace {

std::size_t aligned(std::size_t bytes) {
    return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

struct Block {
    std::size_t begin;
    std::size_t end;
};

// The lowest offset where `bytes` fit between blocks sorted by offset.
std::size_t lowest_fit(const std::vector<Block>& taken, std::size_t bytes) {
    std::size_t offset = 0;
    for (const Block& block : taken) {
        if (block.begin >= offset + bytes) {
            break;
        }
        offset = std::max(offset, block.end);
    }
    return offset;
}

}  // namespace

ArenaPlan plan_arena(const std::vector<Lifetime>& lifetimes) {
    std::vector<std::size_t> order(lifetimes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return lifetimes[a].bytes > lifetimes[b].bytes;
    });
    ArenaPlan plan;
    plan.offsets.assign(lifetimes.size(), 0);
    std::vector<std::size_t> placed;
    for (const std::size_t i : order) {
        const Lifetime& mine = lifetimes[i];
        const std::size_t bytes = aligned(mine.bytes);
        std::vector<Block> taken;
        for (const std::size_t j : placed) {
            if (lifetimes[j].first <= mine.last && mine.first <= lifetimes[j].last) {
                taken.push_back({plan.offsets[j], plan.offsets[j] + aligned(lifetimes[j].bytes)});
            }
        }
        std::sort(taken.begin(), taken.end(),
                  [](const Block& a, const Block& b) { return a.begin < b.begin; });
        plan.offsets[i] = lowest_fit(taken, bytes);
        plan.bytes = std::max(plan.bytes, plan.offsets[i] + bytes);
        placed.push_back(i);
    }
    return plan;
}

}  // namespace fuseq::cpu
