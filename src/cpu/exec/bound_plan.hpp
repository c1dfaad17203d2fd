// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cpu/exec/bound_memory.hpp"
#include "cpu/plan/plan.hpp"
#include "ops/kernel_states.hpp"

namespace fuseq::cpu {

// A plan bound to memory: what a request, the body of a loop and a trial run. For one thread at a
// time, which leads the OpenMP team; how many threads that has is up to the caller (ThreadCount).
// What a step throws leaves run() and run_timed() as an Error that names the step; the next run may
// follow.
class BoundPlan {
public:
    // The plan, both lists and the states outlive it. `inputs`: one tensor a Parameter, `outputs`:
    // one a Result. They may be replaced between runs; before a run every output whose shape the
    // plan knows has that shape. `arena`: of a plan that was bound before it.
    BoundPlan(const Plan& plan,
              std::vector<Tensor>& inputs,
              std::vector<Tensor>& outputs,
              KernelStates* states = nullptr,
              Arena arena = {});

    const Plan& plan() const { return plan_; }
    // Of a Result; nothing: known after a run only.
    const std::optional<Shape>& output_shape(std::size_t index) const { return shapes_[index]; }
    // Whether a run leaves that Result in a tensor of its own instead of the one in `outputs`.
    bool is_output_apart(std::size_t index) const;
    // What a Result is after a run.
    Tensor output(std::size_t index) const { return memory_.as_tensor(plan_.outputs[index]); }

    void run();
    // The same; sets times_us(). Of the steps of a tile group: what the calling thread spent in
    // them.
    void run_timed();
    // Each step as a whole, also those of a tile group, and after(step) where there is one. Sets
    // times_us(). Throws what a step throws.
    void run_step_by_step(const std::function<void(const Step&)>& after = {});

    // Microseconds of each step in the last run that measured; empty before it.
    const std::vector<double>& times_us() const { return times_us_; }
    const RequestMemory& memory() const { return memory_; }
    const Arena& arena() const { return memory_.arena(); }
    // Fills all memory that a run writes to with a byte: what is read before it is written shows.
    void poison(int byte) { memory_.poison(byte); }

private:
    const Plan& plan_;
    BoundMemory memory_;
    std::vector<std::unique_ptr<Runner>> runners_;
    std::vector<std::optional<Shape>> shapes_;
    std::vector<double> times_us_;
};

}  // namespace fuseq::cpu
