// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Copy: the same bytes in other memory (an output of the model that is also an input, a constant,
// or another output).
#pragma once

#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

class CopyStep final : public Step {
public:
    CopyStep(const PlanTensor& tensor, TensorId src, TensorId dst);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;

private:
    std::size_t bytes_;
};

}  // namespace fuseq::cpu
