// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/plan_uses.hpp"

#include <algorithm>

namespace fuseq::cpu {

std::set<TensorId> roots_of(const Plan& plan, const std::vector<TensorId>& ids) {
    std::set<TensorId> roots;
    for (const TensorId id : ids) {
        if (id != kNoTensor) {
            roots.insert(plan.root(id));
        }
    }
    return roots;
}

Touched touched_by(const Plan& plan, const Step& step) {
    return {roots_of(plan, step.inputs()), roots_of(plan, step.outputs())};
}

bool meet(const std::set<TensorId>& a, const std::set<TensorId>& b) {
    return std::any_of(a.begin(), a.end(), [&](TensorId id) { return b.contains(id); });
}

std::size_t bytes_of(const Plan& plan, const std::set<TensorId>& roots) {
    std::size_t bytes = 0;
    for (const TensorId id : roots) {
        bytes += plan.tensors[id].storage == Storage::kDynamic ? 0 : plan.tensors[id].bytes();
    }
    return bytes;
}

bool uses(const Plan& plan, const std::vector<TensorId>& ids, TensorId root) {
    return std::any_of(ids.begin(), ids.end(),
                       [&](TensorId id) { return id != kNoTensor && plan.root(id) == root; });
}

bool is_inner(const Plan& plan, TensorId id) {
    return plan.root(id) == id && plan.tensors[id].storage == Storage::kArena &&
           !uses(plan, plan.outputs, id);
}

std::vector<std::size_t> users_after(const Plan& plan, TensorId root, std::size_t after) {
    std::vector<std::size_t> users;
    for (std::size_t s = after + 1; s < plan.steps.size(); ++s) {
        const Step& step = *plan.steps[s];
        if (uses(plan, step.inputs(), root) || uses(plan, step.outputs(), root)) {
            users.push_back(s);
        }
    }
    return users;
}

void remove_steps(Plan& plan, const std::vector<std::size_t>& steps) {
    for (std::size_t i = steps.size(); i-- > 0;) {
        plan.steps.erase(plan.steps.begin() + static_cast<std::ptrdiff_t>(steps[i]));
    }
}

void take_layers(StepInfo& info, const StepInfo& removed) {
    info.layers.insert(info.layers.end(), removed.layers.begin(), removed.layers.end());
}

}  // namespace fuseq::cpu
