// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/plan.hpp"

#include <algorithm>
#include <optional>

#include "cpu/plan/passes/arena.hpp"

namespace fuseq::cpu {

TensorId Plan::root(TensorId id) const {
    while (tensors[id].alias != kNoTensor) {
        id = tensors[id].alias;
    }
    return id;
}

std::size_t Plan::bytes() const {
    std::size_t total = arena_bytes;
    for (const auto& step : steps) {
        total += step->packed_bytes();
    }
    for (const PlanTensor& tensor : tensors) {
        total += tensor.storage == Storage::kConstant && tensor.layout == Layout::kChannelsLast
                     ? tensor.constant.get_byte_size()
                     : 0;
    }
    return total;
}

void plan_memory(Plan& plan) {
    std::vector<std::optional<Lifetime>> lives(plan.tensors.size());
    // What is used by steps that are walked over together is in use during all of the walk.
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
    auto walk = plan.walks.begin();
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        const Step& step = *plan.steps[s];
        while (walk != plan.walks.end() && walk->last <= s) {
            ++walk;
        }
        const bool walked = walk != plan.walks.end() && walk->first <= s;
        const std::size_t begin = walked ? walk->first : s;
        const std::size_t end = walked ? walk->last - 1 : s;
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
    const ArenaPlan arena = plan_arena(used);
    for (std::size_t i = 0; i < owner.size(); ++i) {
        plan.tensors[owner[i]].offset = arena.offsets[i];
    }
    plan.arena_bytes = arena.bytes;
}

}  // namespace fuseq::cpu
