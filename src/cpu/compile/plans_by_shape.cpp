// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/plans_by_shape.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "cpu/plan/packed_table.hpp"

namespace fuseq::cpu {

std::shared_ptr<const PlannedModel> PlansByShape::find(const std::vector<Shape>& shapes) {
    const auto it = std::find_if(plans_.begin(), plans_.end(),
                                 [&](const Cached& c) { return c.shapes == shapes; });
    if (it == plans_.end()) {
        return nullptr;
    }
    std::rotate(it, it + 1, plans_.end());
    return last();
}

void PlansByShape::add(std::vector<Shape> shapes, std::shared_ptr<const PlannedModel> plan) {
    Cached cached{std::move(shapes), std::move(plan), {}, 0};
    cached.other_bytes = cached.plan->plan.bytes();
    for (const auto& step : cached.plan->plan.steps) {
        const std::span<const std::int8_t> weights = step->packed_weights();
        if (!weights.empty()) {
            cached.weights.push_back({weights.data(), weights.size()});
            cached.other_bytes -= weights.size();
        }
    }
    plans_.push_back(std::move(cached));
}

std::size_t PlansByShape::bytes() const {
    std::size_t total = 0;
    std::unordered_set<const void*> counted;
    for (const Cached& cached : plans_) {
        total += cached.other_bytes;
        for (const Weights& weights : cached.weights) {
            total += counted.insert(weights.data).second ? weights.bytes : 0;
        }
    }
    return total;
}

void PlansByShape::drop(std::size_t count, std::size_t bytes) {
    while (plans_.size() > 1 && (plans_.size() > count || this->bytes() > bytes)) {
        plans_.erase(plans_.begin());
    }
}

void PlansByShape::share(const PlannedModel& plan, SharedByPlans& shared) {
    PackedTable& all = shared.packed;
    const std::size_t known = all.size();
    for (PackedWeights& packed : packed_table(plan.plan)) {
        const auto same = [&](const PackedWeights& other) {
            return other.source == packed.source && other.key == packed.key;
        };
        const auto end = all.begin() + static_cast<std::ptrdiff_t>(known);
        if (shared.constants.keeps(packed.source) && std::none_of(all.begin(), end, same)) {
            all.push_back(std::move(packed));
        }
    }
}

void PlansByShape::forget_unused(SharedByPlans& shared) const {
    std::unordered_set<const void*> used;
    for (const Cached& cached : plans_) {
        for (const Weights& weights : cached.weights) {
            used.insert(weights.data);
        }
    }
    std::erase_if(shared.packed, [&](const PackedWeights& packed) {
        return !used.contains(std::as_const(packed.bytes).data());
    });
}

}  // namespace fuseq::cpu
