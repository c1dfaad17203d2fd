// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/variable_state.hpp"

#include <utility>

#include "runtime/infer_request_impl.hpp"

namespace fuseq {

VariableState::VariableState(std::shared_ptr<InferRequestImpl> request, std::size_t index)
    : request_(std::move(request)), index_(index) {}

const std::string& VariableState::get_name() const {
    return request_->variable_name(index_);
}

Tensor VariableState::get_state() const {
    return request_->get_state(index_);
}

void VariableState::set_state(const Tensor& value) {
    request_->set_state(index_, value);
}

void VariableState::reset() {
    request_->reset_state(index_);
}

}  // namespace fuseq
