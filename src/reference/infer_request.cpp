// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/infer_request.hpp"

namespace fuseq::reference {
ReferenceInferRequest::ReferenceInferRequest(const std::shared_ptr<const Model>& model,
                                             std::shared_ptr<const Program> program,
                                             const Options& options)
    : program_(std::move(program)) {
    for (const Output& port : model->inputs()) {
        run_.inputs.push_back(make_port_tensor(port));
    }
    for (const Output& port : model->outputs()) {
        outputs_.push_back(make_port_tensor(port));
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
    program_->run(run_);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        run_.outputs[i].copy_to(outputs_[i]);
    }
    run_.outputs.clear();
}

std::vector<std::pair<std::string, Tensor>> ReferenceInferRequest::get_intermediates() {
    std::vector<std::pair<std::string, Tensor>> values;
    for (const auto& [name, tensor] : run_.intermediates) {
        values.emplace_back(name, tensor.to(ElementType::f32));
    }
    return values;
}

}  // namespace fuseq::reference
