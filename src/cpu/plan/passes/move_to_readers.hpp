// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A step whose result is much larger than what it reads runs just before the first step that reads
// the result: the large tensor lives for a shorter time, and both may share a tile group.
#pragma once

#include "cpu/plan/passes/plan_pass.hpp"

namespace fuseq::cpu {

// Moves such steps as far as nothing in between depends on them.
bool move_to_readers(Plan& plan, PlanPassContext& context);

}  // namespace fuseq::cpu
