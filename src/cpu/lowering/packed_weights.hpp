// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps of oneDNN primitives with constant weights: packed after the plan is built, taken from an
// earlier plan where it has them.
#pragma once

#include <functional>
#include <memory>

#include "cpu/lowering/step_builder.hpp"
#include "cpu/steps/packed_step.hpp"

namespace fuseq::cpu {

// Constant weights: row-major values that `plain` describes.
struct PlainWeights {
    // Makes the values; called when they have not been packed yet. No function: there are none.
    std::function<Tensor()> values;
    dnnl::memory::desc plain;
    // By what the Const is multiplied, a value an output channel.
    post_ops::Values scale{1.0f};
    const void* source = nullptr;  // address of the Const's values
    // The Const that nothing but this step reads: its memory is given back once it is packed. Null:
    // keep it.
    Node* released = nullptr;
};

// The Const at input 1 of the anchor when nothing else of the model, and of the plan, reads it.
Node* weights_to_release(const StepBuilder& builder, const Node& anchor);
// Empties such a Const; null is allowed.
void release(Node* weights);

// Adds the step, and leaves creating the primitive of `desc` and packing the weights as it wants
// them for later.
void add_packed_step(StepBuilder& builder,
                     std::unique_ptr<PackedStep> step,
                     const dnnl::primitive_desc_base& desc,
                     const PlainWeights& weights);

}  // namespace fuseq::cpu
