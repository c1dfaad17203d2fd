// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A product of integers rounds its sums by the rule of a framework while they are in the first cache:
// the step that would round them goes, and the sums are never in memory.
#pragma once

#include "cpu/plan/passes/plan_pass.hpp"

namespace fuseq::cpu {

// Not where intermediates are kept.
bool rounded_sums(Plan& plan, PlanPassContext& context);

}  // namespace fuseq::cpu
