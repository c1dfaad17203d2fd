// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A channel-vectorized convolution of 32 output channels stores each half of a pixel into a row of
// its own: the step of a DepthToSpace of bytes, whose blocks these are, goes.
#pragma once

#include "cpu/plan/passes/plan_pass.hpp"

namespace fuseq::cpu {

// Does nothing where intermediates are kept: the tensor before the DepthToSpace would be gone.
bool depth_to_space_stores(Plan& plan, PlanPassContext& context);

}  // namespace fuseq::cpu
