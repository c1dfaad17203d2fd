// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the own f32 convolutions have in common: sums of some pixels, channels-last, and a chain of
// operations from these to the result.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cpu/kernels/eltwise/eltwise_kernel.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/call_step.hpp"

namespace fuseq::cpu {

// Whether the group's anchor is one of f32 with constant weights, and rows of its result can be
// followed by all that is after it.
Verdict supports_float_rows(const Group& group);

// The way from sums to the result.
class FloatRows {
public:
    // None: another one stores the result.
    FloatRows(std::optional<kernels::EltwiseKernel> chain,
              std::size_t channels,
              std::size_t dst_size)
        : chain_(std::move(chain)), channels_(channels), dst_size_(dst_size) {}

    bool has_chain() const { return chain_.has_value(); }
    // Adds the tensors that the chain reads to the inputs, after the source.
    void add_binary_sources(StepBuilder& builder, const Group& group, CallStep::Tensors& tensors);
    std::byte* dst(const CallMemory& memory, std::size_t pixel) const {
        return memory.output<std::byte>(0) + pixel * channels_ * dst_size_;
    }
    // `count` pixels of the result, from number `pixel` on. Precondition: has_chain().
    void store(const CallMemory& memory,
               std::size_t pixel,
               std::size_t count,
               const float* sums) const;

private:
    std::optional<kernels::EltwiseKernel> chain_;
    std::size_t channels_;
    std::size_t dst_size_;
    std::vector<std::size_t> source_sizes_;  // of elements
};

// Adds the step that runs `run`; its result is channels-last. `thread_floats`: of memory for each
// thread. `packed_bytes`: of weights.
TensorId add_float_rows_step(StepBuilder& builder,
                             const Group& group,
                             const post_ops::Chain& chain,
                             std::string implementation,
                             CallStep::Tensors tensors,
                             std::size_t thread_floats,
                             std::size_t packed_bytes,
                             std::function<void(const CallMemory&)> run);

}  // namespace fuseq::cpu
