// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A matrix product fetches the first weights of the next one into L2 while it computes its last
// pixels: they come from L3 or memory, and the next product would wait for them.
#pragma once

#include "cpu/plan/passes/plan_pass.hpp"

namespace fuseq::cpu {

// Tells each step that can fetch weights of the next such step, if no more than a few others lie
// between. The steps must stay where they are.
bool prefetch_next_weights(Plan& plan, PlanPassContext& context);

}  // namespace fuseq::cpu
