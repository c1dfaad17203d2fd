// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "cpu/post_ops/basic_ops.hpp"
#include "cpu/steps/dnnl_support.hpp"
#include "cpu/steps/packed_table.hpp"

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
    void add_packed_to(PackedTable& table) const override;

private:
    std::size_t number_ = 0;
    std::vector<char> key_;
    const void* source_ = nullptr;  // the constant that they were packed from
    Tensor stored_;
};

// Packs row-major values that `plain` describes as a primitive wants them.
PackedWeights pack_weights(const Tensor& values,
                           const dnnl::memory::desc& plain,
                           const dnnl::memory::desc& wanted);
// What tells apart packed weights: oneDNN's descriptor, the name of the step, and by what the
// values were multiplied.
std::vector<char> packed_key(const dnnl::memory::desc& layout,
                             const std::string& step,
                             const post_ops::Values& scale);

}  // namespace fuseq::cpu
