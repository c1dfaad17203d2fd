// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/original_model.hpp"

#include <mutex>
#include <utility>

namespace fuseq::cpu {

struct OriginalModel::State {
    std::shared_ptr<const Model> ports;
    std::mutex mutex;  // of the rest
    Read read;         // empty: has been called
    std::shared_ptr<const Model> model;
};

OriginalModel::OriginalModel(std::shared_ptr<const Model> model)
    : state_(std::make_shared<State>()) {
    state_->ports = model;
    state_->model = std::move(model);
}

OriginalModel::OriginalModel(std::shared_ptr<const Model> ports, Read read)
    : state_(std::make_shared<State>()) {
    state_->ports = std::move(ports);
    state_->read = std::move(read);
}

const std::shared_ptr<const Model>& OriginalModel::ports() const {
    return state_->ports;
}

const std::shared_ptr<const Model>& OriginalModel::model() const {
    const std::lock_guard lock(state_->mutex);
    if (state_->read) {
        state_->model = state_->read();
        state_->read = nullptr;  // what it holds is not needed any more
    }
    return state_->model;
}

}  // namespace fuseq::cpu
