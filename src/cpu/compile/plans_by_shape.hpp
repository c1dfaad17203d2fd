// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The plans of a compiled model by the shapes that they are made for, the most recently used ones.
// What they share is counted once. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/compile/planned_model.hpp"

namespace fuseq::cpu {

class PlansByShape {
public:
    bool empty() const { return plans_.empty(); }
    std::size_t size() const { return plans_.size(); }
    // The one used last.
    const std::shared_ptr<const PlannedModel>& last() const { return plans_.back().plan; }
    // Null: there is none. It is the last one then.
    std::shared_ptr<const PlannedModel> find(const std::vector<Shape>& shapes);
    void add(std::vector<Shape> shapes, std::shared_ptr<const PlannedModel> plan);

    // Drops those used longest ago, but for the last one, until there are no more than `count` of no
    // more than `bytes`.
    void drop(std::size_t count, std::size_t bytes);
    std::size_t bytes() const;

    // Of weights that the constants keep, so that plans of other shapes can use them.
    static void share(const PlannedModel& plan, SharedByPlans& shared);
    // Removes weights that no plan has any more.
    void forget_unused(SharedByPlans& shared) const;

private:
    struct Weights {
        const std::int8_t* data = nullptr;
        std::size_t bytes = 0;
    };
    struct Cached {
        std::vector<Shape> shapes;
        std::shared_ptr<const PlannedModel> plan;
        std::vector<Weights> weights;
        std::size_t other_bytes = 0;
    };
    std::vector<Cached> plans_;  // most recently used last
};

}  // namespace fuseq::cpu
