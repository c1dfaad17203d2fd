// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A matrix product whose result only a concat on channels reads stores it where the concat would
// copy it: with the pixel pitch of the concat's result.
#pragma once

#include "cpu/plan/passes/plan_pass.hpp"

namespace fuseq::cpu {

// A concat copies what is left, and is no step when that is nothing. Does nothing where
// intermediates are kept: the inputs of the concat would be gone.
bool concat_slices(Plan& plan, PlanPassContext& context);

}  // namespace fuseq::cpu
