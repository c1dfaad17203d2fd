// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One request: user tensors, and a plan bound to them.
#pragma once

#include <memory>
#include <vector>

#include "cpu/exec/bound_plan.hpp"
#include "cpu/exec/intermediates.hpp"
#include "cpu/plugin/compiled_model.hpp"
#include "ops/kernel_states.hpp"
#include "ops/state/variable_values.hpp"

namespace fuseq::cpu {

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

private:
    void bind(std::shared_ptr<const PlannedModel> plan);
    void prepare();
    void prepare_output(std::size_t index, const Shape& shape);
    void read_state();
    void compute_initial();
    void run_steps();

    std::shared_ptr<CpuCompiledModel> model_;
    std::size_t model_inputs_ = 0;
    std::size_t model_outputs_ = 0;
    std::vector<Tensor> inputs_;     // of the model, then one a variable
    std::vector<Tensor> outputs_;    // the same
    std::vector<bool> user_output_;  // set by the user; of the model
    VariableValues variables_;
    std::vector<std::unique_ptr<CpuInferRequest>> initial_;  // one a CpuCompiledModel::Initial
    KernelStates states_;  // what kernels keep from one run to the next
    std::shared_ptr<const PlannedModel> plan_;
    std::unique_ptr<BoundPlan> bound_;  // of plan_
    Intermediates intermediates_;
};

}  // namespace fuseq::cpu
