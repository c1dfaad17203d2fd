// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cpu/plan/plan.hpp"
#include "ops/kernel_states.hpp"

namespace fuseq::cpu {

// Addresses of the tensors of one plan: an arena of its own, constants of the plan, and inputs and
// outputs of its owner. For one thread at a time; what is const may be called by all threads that
// run a step.
// Memory for the tensors of a plan. Nothing reads there what was not written in the same run.
struct Arena {
    std::shared_ptr<void> memory;
    std::size_t bytes = 0;
};

class BoundMemory final : public RequestMemory, public StateKeeper {
public:
    // The plan, both lists and the states outlive it. The tensors in the lists may be replaced
    // between runs. `arena`: of a plan before it; it is used again where it fits.
    BoundMemory(const Plan& plan,
                std::vector<Tensor>& inputs,
                std::vector<Tensor>& outputs,
                KernelStates* states = nullptr,
                Arena arena = {});

    void* data(TensorId id) const override;
    void* rows(TensorId id, const RowPart& part) const override;
    void keep_rows(TensorId id, const RowPart& part) const override;
    bool in_user_memory(TensorId id) const override;
    const PlanTensor& tensor(TensorId id) const override { return plan_.tensors[id]; }
    Tensor as_tensor(TensorId id) const override;
    const Arena& arena() const { return arena_memory_; }
    // Fills the arena and the outputs that steps write into with a byte.
    void poison(int byte);
    void set_dynamic(TensorId id, Tensor value) override { dynamic_[id] = std::move(value); }
    KernelStates* kernel_states() const override { return states_; }

private:
    const Plan& plan_;
    std::vector<Tensor>& inputs_;
    std::vector<Tensor>& outputs_;
    Arena arena_memory_;
    Tensor arena_;
    std::vector<TensorId> roots_;
    std::vector<Tensor> dynamic_;
    KernelStates* states_;
};

}  // namespace fuseq::cpu
