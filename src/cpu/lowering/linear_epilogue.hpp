// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What kernels that compute floats fuse into their write: x * scale + shift, then the conversion.
#pragma once

#include <memory>
#include <optional>

#include "cpu/lowering/step_builder.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

struct LinearEpilogue {
    post_ops::Values scale{1.0f};
    post_ops::Values shift{0.0f};
    ElementType dst_type = ElementType::f32;
};

// Nothing when the chain of the group is more than that.
std::optional<LinearEpilogue> match_linear_epilogue(const Group& group);

// The same of one scale and one shift for the whole tensor; nothing without a group.
std::optional<LinearEpilogue> match_tensor_epilogue(const Group* group);

// Adds a step that computes a node and, when `group` is not null, the chain after it; the result
// is `dst`.
void add_step_with_epilogue(
    StepBuilder& builder, Node& node, std::unique_ptr<Step> step, const Group* group, TensorId dst);

}  // namespace fuseq::cpu
