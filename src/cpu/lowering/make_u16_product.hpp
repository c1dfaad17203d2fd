// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Candidates for layers whose source has 16 bits and whose weights have 8.
#pragma once

#include "cpu/lowering/step_builder.hpp"
#include "cpu/lowering/verdict.hpp"

namespace fuseq::cpu {

Verdict u16_product_supports(const StepBuilder& builder, const Group& group);
TensorId make_u16_product(StepBuilder& builder, const Group& group);

// The candidate for Convert to u16.
Verdict make_u16_convert(StepBuilder& builder, Node& node);

}  // namespace fuseq::cpu
