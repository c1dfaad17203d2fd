// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the makers of convolution, deconvolution and matmul steps share: composing the post-ops,
// trying primitives, and the fused eltwise after when not everything was mapped.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cpu/lowering/step_makers.hpp"
#include "cpu/post_ops/dnnl_post_ops_composer.hpp"
#include "cpu/steps/dnnl_support.hpp"

namespace fuseq::cpu {

// The chain of a group, simplified by its laws.
const post_ops::DnnlPostOpsComposer& composer_of(const Group& group);

// The attributes for a prefix of a chain, ready for a primitive.
struct ComposedAnchor {
    post_ops::Emission emission;
    post_ops::ComposedAttributes attributes;
    ElementType dst_type = ElementType::f32;
    post_ops::Chain remainder;  // what is left for a fused eltwise
    bool complete = false;      // nothing is left

    // Of a kernel of Fuseq: it computes the first `count` operations, as f32 when others follow.
    static ComposedAnchor of_own_kernel(const post_ops::Chain& chain, std::size_t count);
};

// One candidate, tried by `make`: returns the implementation name, or nothing when oneDNN refuses
// the attributes. The first candidate that does not land on a reference implementation wins; they
// come from "everything that the composer maps" down to "nothing fused".
using TryPrimitive = std::function<std::optional<std::string>(const ComposedAnchor&)>;
struct AnchorResult {
    dnnl::memory::desc dst;  // dims and order as the primitive writes them
    int channel_axis = 1;
};
ComposedAnchor choose_composition(const Group& group,
                                  const post_ops::Anchor& anchor,
                                  const AnchorResult& result,
                                  const TryPrimitive& make,
                                  std::vector<std::string>& notes);

// Binary sources over which the anchor may write its result (sum post-op).
std::vector<std::size_t> overwritable_sources(const StepBuilder& builder,
                                              const Group& group,
                                              Layout layout);
// A tensor for the result of the anchor: new, or over the binary source that a sum reads.
TensorId result_tensor(StepBuilder& builder,
                       const Group& group,
                       const ComposedAnchor& composed,
                       const Shape& dims,
                       Layout layout);

// The arguments of the post-ops: constants and binary sources, in the layout given.
void add_post_op_arguments(StepBuilder& builder,
                           const Group& group,
                           const ComposedAnchor& composed,
                           Layout layout,
                           DnnlCall& call,
                           std::vector<TensorId>& inputs);

// The fused eltwise for what was not mapped, if anything; the tensor of the group's result.
TensorId finish_anchor(StepBuilder& builder,
                       const Group& group,
                       const ComposedAnchor& composed,
                       TensorId dst);

// Fills the parts of StepInfo that come from the group.
void describe_anchor(StepInfo& info, const Group& group, const ComposedAnchor& composed);

}  // namespace fuseq::cpu
