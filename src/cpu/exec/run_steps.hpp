// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the steps of a plan, those of a tile group together.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cpu/plan/plan.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

using Runners = std::span<const std::unique_ptr<Runner>>;  // one a step of the plan

void run_steps(const Plan& plan, Runners runners);

// The same; sets the microseconds that each step took. Of the steps of a tile group: what the
// calling thread spent in them.
void run_timed(const Plan& plan, Runners runners, std::vector<double>& times_us);

}  // namespace fuseq::cpu
