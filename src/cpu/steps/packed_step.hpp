// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "cpu/plan/builder.hpp"
#include "cpu/steps/dnnl_support.hpp"

namespace fuseq::cpu {

// A oneDNN primitive with packed weights: convolution, deconvolution, matmul.
class PackedStep final : public DnnlStep {
public:
    PackedStep(
        DnnlCall call, std::vector<TensorId> inputs, TensorId dst, TensorId scratch, StepInfo info);
    DnnlCall& call() { return call_; }

    // Among the steps with packed weights, in the order in which they were made.
    std::size_t number() const { return number_; }
    void set_number(std::size_t number) { number_ = number; }
    // Tells apart packed weights of this layout; see PackedWeights::key.
    void set_key(std::vector<char> key, const void* source) {
        key_ = std::move(key);
        source_ = source;
    }
    const std::vector<char>& key() const { return key_; }
    // Weights as the primitive wants them, such as those in a compiled model's file; the step keeps
    // them alive.
    void use_packed(const PackedWeights& packed, const dnnl::memory::desc& layout);
    // The packed weights, for such a file, and for plans of the same model.
    PackedWeights packed() const;
    std::span<const std::int8_t> packed_weights() const override;

private:
    std::size_t number_ = 0;
    std::vector<char> key_;
    const void* source_ = nullptr;  // the constant that they were packed from
    Tensor stored_;
};

// The table of a plan's packed weights; it shares their memory with the plan.
PackedTable packed_table(const Plan& plan);

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
    Node* given_up = nullptr;
};

// The Const at input 1 of the anchor when nothing else of the model, and of the plan, reads it.
Node* weights_to_give_up(const PlanBuilder& builder, const Node& anchor);
// Empties such a Const; null is allowed.
void give_up(Node* weights);

// Adds the step, and leaves creating the primitive of `desc` and packing the weights as it wants
// them for later.
void add_packed_step(PlanBuilder& builder,
                     std::unique_ptr<PackedStep> step,
                     const dnnl::primitive_desc_base& desc,
                     const PlainWeights& weights);

}  // namespace fuseq::cpu
