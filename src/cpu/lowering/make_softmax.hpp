// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/kernels/reduce/rows.hpp"
#include "cpu/lowering/step_builder.hpp"

namespace fuseq::cpu {

// The scale, shift and store after a SoftMax that its step computes too: set in `params`. Null:
// there are none, or not per tensor.
const Group* take_epilogue(const StepBuilder& builder,
                           Node& softmax,
                           kernels::SoftmaxParams& params);

}  // namespace fuseq::cpu
