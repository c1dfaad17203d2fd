// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fuseq/variable_state.hpp"
#include "openvino/runtime/tensor.hpp"

namespace ov {

class VariableState {
public:
    explicit VariableState(const fuseq::VariableState& state) : state_(state) {}
    std::string get_name() const { return state_.get_name(); }
    Tensor get_state() const {
        return detail::guarded([&] { return Tensor(state_.get_state()); });
    }
    void set_state(const Tensor& value) {
        detail::guarded([&] { state_.set_state(value.own()); });
    }
    void reset() {
        detail::guarded([&] { state_.reset(); });
    }

private:
    fuseq::VariableState state_;
};

}  // namespace ov
