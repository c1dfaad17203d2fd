// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What kernels that compute floats fuse into their write: x * scale + shift, then the conversion.
#pragma once

#include <optional>

#include "cpu/plan/attach_post_ops.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

struct LinearTail {
    post_ops::Values scale{1.0f};
    post_ops::Values shift{0.0f};
    ElementType dst_type = ElementType::f32;
};

// Nothing when the chain of the group is more than that.
std::optional<LinearTail> match_linear_tail(const Group& group);

// The step executes the element-wise layers of the group too.
void describe_tail(StepInfo& info, const Group& group);

}  // namespace fuseq::cpu
