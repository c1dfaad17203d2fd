// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Reference: an operation without a fast step runs its reference kernel, or one of the plugin's own
// that has the same form. Tensors are plain; they may be dynamic. Of TensorIterator, Loop and If
// that is the walk over the iterations; their bodies may have plans.
#pragma once

#include <functional>

#include "cpu/steps/body.hpp"
#include "cpu/steps/step.hpp"
#include "fuseq/node.hpp"
#include "ops/op_spec.hpp"

namespace fuseq::cpu {

// In the place of a reference kernel; kept by a request, so that it may have memory of its own.
using NodeKernel = std::function<void(EvalContext&)>;
struct OwnKernel {
    const char* implementation = nullptr;  // null: there is none
    NodeKernel (*make)() = nullptr;
};

class ReferenceStep final : public Step {
public:
    // The node must outlive the step. Absent inputs are kNoTensor.
    ReferenceStep(const Node& node,
                  std::vector<TensorId> inputs,
                  std::vector<TensorId> outputs,
                  CompiledBodies bodies = {},
                  OwnKernel own = {});
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;
    std::size_t packed_bytes() const override;
    bool starts_regions() const override { return !bodies_.empty(); }

private:
    const Node& node_;
    std::vector<TensorId> arguments_;
    CompiledBodies bodies_;
    OwnKernel own_;
};

}  // namespace fuseq::cpu
