// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A step with any number of sources and results that calls kernels of the plugin.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

// Where the tensors of a step are in this run, in the order in which the step was given them.
struct CallMemory {
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    std::vector<void*> scratch;

    template <class T>
    const T* input(std::size_t i) const {
        return static_cast<const T*>(inputs[i]);
    }
    template <class T>
    T* output(std::size_t i) const {
        return static_cast<T*>(outputs[i]);
    }
    template <class T>
    T* work(std::size_t i) const {
        return static_cast<T*>(scratch[i]);
    }
};

class CallStep final : public Step {
public:
    // Does all of the work, threads included; called by several requests at once.
    using Call = std::function<void(const CallMemory& memory)>;
    struct Tensors {
        std::vector<TensorId> inputs;
        std::vector<TensorId> outputs;
        std::vector<TensorId> scratch;
    };

    CallStep(Call call, Tensors tensors, StepInfo info);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;
    std::size_t packed_bytes() const override { return packed_bytes_; }
    void set_packed_bytes(std::size_t bytes) { packed_bytes_ = bytes; }

private:
    Call call_;
    std::size_t packed_bytes_ = 0;
};

}  // namespace fuseq::cpu
