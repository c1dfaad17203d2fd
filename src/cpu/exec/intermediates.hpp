// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/steps/plan_tensor.hpp"

namespace fuseq::cpu {

// The values that an integer tensor of the plan stands for, f32, in the IR's dimension order.
// `tensor.quantized` is set.
Tensor dequantized(const PlanTensor& tensor, const void* data);

}  // namespace fuseq::cpu
