// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/infer_request.hpp"

#include <algorithm>

namespace fuseq::reference {
ReferenceInferRequest::ReferenceInferRequest(const std::shared_ptr<const Model>& model,
                                             std::shared_ptr<const Program> program,
                                             const std::vector<InitialProgram>& initial,
                                             const Options& options)
    : program_(std::move(program)), initial_(initial), state_(variables_of(*model)) {
    for (const Output& port : model->inputs()) {
        run_.inputs.push_back(make_port_tensor(port));
    }
    for (const Output& port : model->outputs()) {
        outputs_.push_back(make_port_tensor(port));
    }
    for (std::size_t i = 0; i < state_.size(); ++i) {
        run_.inputs.push_back(state_.value(i));
    }
    run_.profile = options.flag(property::kPerfCount);
    run_.keep_intermediates = options.flag(property::kKeepIntermediates);
    run_.cancelled = &cancelled_;
}

void ReferenceInferRequest::set_input(std::size_t index, const Tensor& tensor) {
    run_.inputs.at(index) = tensor;
}

void ReferenceInferRequest::set_output(std::size_t index, const Tensor& tensor) {
    outputs_.at(index) = tensor;
}

void ReferenceInferRequest::infer() {
    cancelled_ = false;
    read_state();
    program_->run(run_);
    for (std::size_t i = 0; i < state_.size(); ++i) {
        const Tensor& value = run_.outputs[outputs_.size() + i];
        Tensor next = state_.next(i, value.get_shape());
        value.copy_to(next);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        run_.outputs[i].copy_to(outputs_[i]);
    }
    state_.commit();
    run_.outputs.clear();
}

void ReferenceInferRequest::read_state() {
    const std::size_t first = run_.inputs.size() - state_.size();
    const auto take_values = [&] {
        for (std::size_t i = 0; i < state_.size(); ++i) {
            run_.inputs[first + i] = state_.value(i);
        }
    };
    take_values();
    for (const InitialProgram& initial : initial_) {
        if (std::none_of(initial.variables.begin(), initial.variables.end(),
                         [&](std::size_t v) { return state_.needs_initial(v); })) {
            continue;
        }
        ProgramRun run;
        run.inputs = run_.inputs;
        run.cancelled = &cancelled_;
        initial.program->run(run);
        for (std::size_t i = 0; i < initial.variables.size(); ++i) {
            if (state_.needs_initial(initial.variables[i])) {
                state_.set_initial(initial.variables[i], run.outputs[i]);
            }
        }
        take_values();
    }
}

std::vector<std::pair<std::string, Tensor>> ReferenceInferRequest::get_intermediates() {
    std::vector<std::pair<std::string, Tensor>> values;
    for (const auto& [name, tensor] : run_.intermediates) {
        values.emplace_back(name, tensor.to(ElementType::f32));
    }
    return values;
}

}  // namespace fuseq::reference
