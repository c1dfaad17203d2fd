// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/bound_plan.hpp"

#include <chrono>
#include <utility>

#include "cpu/exec/run_steps.hpp"

namespace fuseq::cpu {

BoundPlan::BoundPlan(const Plan& plan,
                     std::vector<Tensor>& inputs,
                     std::vector<Tensor>& outputs,
                     KernelStates* states,
                     Arena arena)
    : plan_(plan), memory_(plan, inputs, outputs, states, std::move(arena)) {
    for (const auto& step : plan_.steps) {
        runners_.push_back(step->bind(memory_));
    }
    for (const TensorId id : plan_.outputs) {
        const PartialShape& shape = plan_.tensors[id].shape;
        shapes_.push_back(shape.is_static() ? std::optional(shape.to_shape()) : std::nullopt);
    }
}

bool BoundPlan::is_output_apart(std::size_t index) const {
    return plan_.tensors[plan_.root(plan_.outputs[index])].storage == Storage::kDynamic;
}

void BoundPlan::run() {
    run_steps(plan_, runners_);
}

void BoundPlan::run_timed() {
    cpu::run_timed(plan_, runners_, times_us_);
}

void BoundPlan::run_step_by_step(const std::function<void(const Step&)>& after) {
    using Clock = std::chrono::steady_clock;
    times_us_.assign(runners_.size(), 0);
    for (std::size_t i = 0; i < runners_.size(); ++i) {
        const auto begin = Clock::now();
        runners_[i]->run();
        times_us_[i] = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
        if (after) {
            after(*plan_.steps[i]);
        }
    }
}

}  // namespace fuseq::cpu
