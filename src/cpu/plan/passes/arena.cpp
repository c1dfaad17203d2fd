// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/arena.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

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

bool arena(Plan& plan, PlanPassContext& /*context*/) {
    std::vector<std::optional<Lifetime>> lives(plan.tensors.size());
    // What a step of a tile group uses is in use as long as the group runs.
    const auto touch = [&](TensorId id, std::size_t first, std::size_t last) {
        const TensorId root = plan.root(id);
        const PlanTensor& tensor = plan.tensors[root];
        if (tensor.storage != Storage::kArena) {
            return;
        }
        // Views and in-place results may be larger than nothing, never larger than their root.
        if (!lives[root]) {
            lives[root] = Lifetime{first, last, tensor.memory_bytes()};
        }
        lives[root]->last = std::max(lives[root]->last, last);
    };
    auto group = plan.tile_groups.begin();
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        const Step& step = *plan.steps[s];
        while (group != plan.tile_groups.end() && group->last <= s) {
            ++group;
        }
        const bool grouped = group != plan.tile_groups.end() && group->first <= s;
        const std::size_t begin = grouped ? group->first : s;
        const std::size_t end = grouped ? group->last - 1 : s;
        for (const auto* ids : {&step.inputs(), &step.outputs(), &step.scratch()}) {
            for (const TensorId id : *ids) {
                touch(id, begin, end);
            }
        }
    }
    for (const TensorId id : plan.outputs) {
        touch(id, plan.steps.size(), plan.steps.size());
    }
    std::vector<Lifetime> used;
    std::vector<TensorId> owner;
    for (TensorId id = 0; id < lives.size(); ++id) {
        if (lives[id]) {
            used.push_back(*lives[id]);
            owner.push_back(id);
        }
    }
    const ArenaPlan placed = plan_arena(used);
    for (std::size_t i = 0; i < owner.size(); ++i) {
        plan.tensors[owner[i]].offset = placed.offsets[i];
    }
    plan.arena_bytes = placed.bytes;
    return true;
}

}  // namespace fuseq::cpu
