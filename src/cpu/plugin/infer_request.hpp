// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One request: user tensors, arena, and the runners bound to them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cpu/plugin/compiled_model.hpp"
#include "ops/kernel_states.hpp"
#include "ops/state/variable_values.hpp"

namespace fuseq::cpu {

// Addresses of the tensors of one plan for one request.
class BoundMemory final : public RequestMemory, public StateKeeper {
public:
    BoundMemory(const Plan& plan,
                std::vector<Tensor>& inputs,
                std::vector<Tensor>& outputs,
                KernelStates* states = nullptr);

    void* data(TensorId id) const override;
    void* rows(TensorId id, const RowPart& part) const override;
    void keep_rows(TensorId id, const RowPart& part) const override;
    bool in_user_memory(TensorId id) const override;
    const PlanTensor& tensor(TensorId id) const override { return plan_.tensors[id]; }
    Tensor as_tensor(TensorId id) const override;
    // Fills the arena and the outputs that steps write into with a byte.
    void poison(int byte);
    void set_dynamic(TensorId id, Tensor value) override { dynamic_[id] = std::move(value); }
    KernelStates* kernel_states() const override { return states_; }

private:
    const Plan& plan_;
    std::vector<Tensor>& inputs_;
    std::vector<Tensor>& outputs_;
    std::shared_ptr<void> arena_memory_;
    Tensor arena_;
    std::vector<TensorId> roots_;
    std::vector<Tensor> dynamic_;
    KernelStates* states_;
};

class CpuInferRequest final : public IInferRequest {
public:
    explicit CpuInferRequest(std::shared_ptr<CpuCompiledModel> model);

    void set_input(std::size_t index, const Tensor& tensor) override;
    void set_output(std::size_t index, const Tensor& tensor) override;
    Tensor get_input(std::size_t index) override;
    Tensor get_output(std::size_t index) override;
    void infer() override;
    std::vector<ProfilingInfo> get_profiling_info() const override;
    std::vector<std::pair<std::string, Tensor>> get_intermediates() override;
    Tensor get_state(std::size_t index) override { return variables_.get(index); }
    void set_state(std::size_t index, const Tensor& value) override {
        variables_.set(index, value);
    }
    void reset_state(std::size_t index) override { variables_.reset(index); }
    // Those of the request that this one runs a body of; else it has its own. Before infer().
    void keep_states_in(KernelStates& states) { states_ = &states; }

private:
    void bind(std::shared_ptr<const PlannedModel> plan);
    void prepare();
    void prepare_output(std::size_t index, const Shape& shape);
    void read_state();
    void compute_initial();
    void run_steps();
    void keep_result(const Step& step);

    std::shared_ptr<CpuCompiledModel> model_;
    std::size_t model_inputs_ = 0;
    std::size_t model_outputs_ = 0;
    std::vector<Tensor> inputs_;     // of the model, then one a variable
    std::vector<Tensor> outputs_;    // the same
    std::vector<bool> user_output_;  // set by the user; of the model
    VariableValues variables_;
    std::vector<std::unique_ptr<CpuInferRequest>> initial_;  // one a CpuCompiledModel::Initial
    KernelStates own_states_;
    KernelStates* states_ = &own_states_;  // what kernels keep from one run to the next
    std::shared_ptr<const PlannedModel> plan_;
    std::vector<std::optional<Shape>> output_shapes_;  // of the plan, where they are fixed
    std::unique_ptr<BoundMemory> memory_;
    std::vector<std::unique_ptr<Runner>> runners_;
    std::vector<double> times_us_;
    std::vector<std::pair<std::string, Tensor>> intermediates_;
};

}  // namespace fuseq::cpu
