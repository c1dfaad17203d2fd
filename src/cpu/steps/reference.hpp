// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Reference: an operation without a fast step runs its reference kernel. Tensors are plain; they
// may be dynamic.
#pragma once

#include "cpu/steps/step.hpp"
#include "fuseq/node.hpp"

namespace fuseq::cpu {

class ReferenceStep final : public Step {
public:
    // The node must outlive the step. Absent inputs are kNoTensor.
    ReferenceStep(const Node& node, std::vector<TensorId> inputs, std::vector<TensorId> outputs);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;

private:
    const Node& node_;
    std::vector<TensorId> arguments_;
};

}  // namespace fuseq::cpu
