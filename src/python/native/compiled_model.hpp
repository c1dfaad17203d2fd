// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// fuseq.CompiledModel.
#pragma once

#include <memory>
#include <vector>

#include "fuseq/compiled_model.hpp"
#include "python/native/request.hpp"

namespace fuseq::python {

class PyCompiledModel {
public:
    explicit PyCompiledModel(CompiledModel model)
        : ports_(std::make_shared<const CompiledPorts>(std::move(model))) {}
    explicit PyCompiledModel(std::shared_ptr<const CompiledPorts> ports)
        : ports_(std::move(ports)) {}

    const CompiledModel& native() const { return ports_->model(); }
    const std::shared_ptr<const CompiledPorts>& ports() const { return ports_; }

    // Runs on a request of its own for each call that goes on at the same time.
    PyResults call(const pybind11::object& inputs, bool share_inputs, bool share_outputs);

private:
    std::shared_ptr<const CompiledPorts> ports_;
    std::vector<std::unique_ptr<PyRequest>> idle_;
};

}  // namespace fuseq::python
