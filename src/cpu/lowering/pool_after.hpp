// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The max pooling that a convolution takes along.
#pragma once

#include "cpu/lowering/step_builder.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

// A max pooling of 2 x 2 pixels with stride 2 that alone reads the result of the group; null: none.
Node* pool_after(const StepBuilder& builder, const Group& group);
// `dst`: its result.
void add_pool(StepInfo& info, const Node& pool, const PlanTensor& dst);

}  // namespace fuseq::cpu
