// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The model as the user gave it. Of a compiled model in a file only its inputs and outputs are read
// at once: neither loading nor inference asks for more, and reading all layers takes as long as
// the rest of loading.
#pragma once

#include <functional>
#include <memory>

#include "fuseq/model.hpp"

namespace fuseq::cpu {

// A handle; copies share what was read. Thread-safe.
class OriginalModel {
public:
    using Read = std::function<std::shared_ptr<const Model>()>;

    OriginalModel() = default;  // empty
    explicit OriginalModel(std::shared_ptr<const Model> model);
    // `ports`: see ports_only(). `read` is called when model() is, once unless it throws.
    OriginalModel(std::shared_ptr<const Model> ports, Read read);
    explicit operator bool() const { return state_ != nullptr; }

    // Inputs and outputs; the same object for as long as a copy lives.
    const std::shared_ptr<const Model>& ports() const;
    // All of it.
    const std::shared_ptr<const Model>& model() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace fuseq::cpu
