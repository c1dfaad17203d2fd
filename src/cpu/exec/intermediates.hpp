// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cpu/plan/plan.hpp"

namespace fuseq::cpu {

// The values that an integer tensor of the plan stands for, f32, in the IR's dimension order.
// `tensor.quantized` is set.
Tensor dequantized(const PlanTensor& tensor, const void* data);

using Intermediates = std::vector<std::pair<std::string, Tensor>>;

// Appends the integer results of a step that has just run, as the values of the FakeQuantize layers
// that they stand for.
void append_results(const Plan& plan,
                    const Step& step,
                    const RequestMemory& memory,
                    Intermediates& list);

}  // namespace fuseq::cpu
