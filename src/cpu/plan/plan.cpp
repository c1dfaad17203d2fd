// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/plan.hpp"

#include <algorithm>
#include <optional>

#include "cpu/memory/arena.hpp"

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
    const auto touch = [&](TensorId id, std::size_t step) {
        const TensorId root = plan.root(id);
        const PlanTensor& tensor = plan.tensors[root];
        if (tensor.storage != Storage::kArena) {
            return;
        }
        // Views and in-place results may be larger than nothing, never larger than their root.
        if (!lives[root]) {
            lives[root] = Lifetime{step, step, tensor.bytes()};
        }
        lives[root]->last = std::max(lives[root]->last, step);
    };
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        const Step& step = *plan.steps[s];
        for (const auto* ids : {&step.inputs(), &step.outputs(), &step.scratch()}) {
            for (const TensorId id : *ids) {
                touch(id, s);
            }
        }
    }
    for (const TensorId id : plan.outputs) {
        touch(id, plan.steps.size());
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
