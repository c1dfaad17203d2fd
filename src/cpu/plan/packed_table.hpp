// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/plan/plan.hpp"
#include "cpu/steps/packed_table.hpp"

namespace fuseq::cpu {

// The table of a plan's packed weights; it shares their memory with the plan.
PackedTable packed_table(const Plan& plan);

}  // namespace fuseq::cpu
