// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A plan with memory of its own and made-up input, to be run and timed before there are requests.
#pragma once

#include <memory>
#include <vector>

#include "cpu/exec/bound_plan.hpp"
#include "cpu/plan/plan.hpp"
#include "fuseq/model.hpp"

namespace fuseq::cpu {

// Used by one thread. The input is the same bytes in every trial of a model; it may be one that an
// operation does not take: run() throws Error then.
class Trial {
public:
    Trial(Plan plan, const Model& model);

    // Step by step; keeps the smallest time of each step.
    void run();
    // As a request does, with tile groups. Returns the microseconds that it took.
    double run_whole();

    const Plan& plan() const { return plan_; }
    // Smallest microseconds of each step; infinite before the first run().
    const std::vector<double>& times() const { return times_; }
    // After a run.
    Tensor output(std::size_t index) const { return bound_->output(index); }

private:
    Plan plan_;
    std::vector<Tensor> inputs_;
    std::vector<Tensor> outputs_;
    std::unique_ptr<BoundPlan> bound_;
    std::vector<double> times_;
};

}  // namespace fuseq::cpu
