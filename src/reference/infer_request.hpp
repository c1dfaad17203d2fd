// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "ops/state/variable_values.hpp"
#include "reference/compiled_model.hpp"
#include "reference/program.hpp"

namespace fuseq::reference {

class ReferenceInferRequest final : public IInferRequest {
public:
    ReferenceInferRequest(const std::shared_ptr<const Model>& model,
                          std::shared_ptr<const Program> program,
                          const std::vector<InitialProgram>& initial,
                          const Options& options);

    void set_input(std::size_t index, const Tensor& tensor) override;
    void set_output(std::size_t index, const Tensor& tensor) override;
    Tensor get_input(std::size_t index) override { return run_.inputs.at(index); }
    Tensor get_output(std::size_t index) override { return outputs_.at(index); }
    void infer() override;
    void cancel() override { cancelled_ = true; }
    std::vector<ProfilingInfo> get_profiling_info() const override { return run_.profile_info; }
    std::vector<std::pair<std::string, Tensor>> get_intermediates() override;
    Tensor get_state(std::size_t index) override { return state_.get(index); }
    void set_state(std::size_t index, const Tensor& value) override { state_.set(index, value); }
    void reset_state(std::size_t index) override { state_.reset(index); }

private:
    void read_state();

    std::shared_ptr<const Program> program_;
    std::vector<InitialProgram> initial_;
    VariableValues state_;
    std::vector<Tensor> outputs_;  // what the user sees; filled from ProgramRun::outputs
    std::atomic<bool> cancelled_ = false;
    ProgramRun run_;
};

}  // namespace fuseq::reference
