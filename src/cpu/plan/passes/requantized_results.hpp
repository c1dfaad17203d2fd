// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A channel-vectorized convolution stores its result once for each quantization of it, from
// registers: the steps that would quantize a tensor several steps read go.
#pragma once

#include "cpu/plan/passes/plan_pass.hpp"

namespace fuseq::cpu {

// The f32 result goes too where only such quantizations read it, unless intermediates are kept.
bool requantized_results(Plan& plan, PlanPassContext& context);

}  // namespace fuseq::cpu
