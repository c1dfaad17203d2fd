// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The scores of attention, their SoftMax and the context become one step, which works on some rows
// of a head at a time (steps/attention.hpp): the scores of all heads are never in memory, and the
// products are the device's own. The bytes are those of the three steps.
#pragma once

#include "cpu/plan/passes/plan_pass.hpp"

namespace fuseq::cpu {

bool attention_by_heads(Plan& plan, PlanPassContext& context);

}  // namespace fuseq::cpu
