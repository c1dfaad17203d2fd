// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The passes over the plan, in the order in which they run.
#pragma once

#include "cpu/plan/passes/plan_pass.hpp"

namespace fuseq::cpu {

const std::vector<PlanPass>& plan_passes();

}  // namespace fuseq::cpu
