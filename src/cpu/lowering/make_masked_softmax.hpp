// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/lowering/step_builder.hpp"

namespace fuseq::cpu {

// An Add of a mask that is broadcast, as one step with the SoftMax that alone reads it. False when
// it is none.
bool make_masked_softmax(StepBuilder& builder, Node& add);

}  // namespace fuseq::cpu
