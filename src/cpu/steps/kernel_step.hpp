// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A step with one source and one result that calls a kernel of the plugin.
#pragma once

#include <functional>
#include <memory>

#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

class KernelStep final : public Step {
public:
    // Does all of the work, threads included; called by several requests at once.
    using Kernel = std::function<void(const void* src, void* dst)>;

    KernelStep(Kernel kernel, TensorId src, TensorId dst, StepInfo info);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;

private:
    Kernel kernel_;
};

// What every such step says of itself; `implementation` without the "fuseq:".
StepInfo kernel_info(const char* kind,
                     const char* implementation,
                     const PlanTensor& src,
                     const PlanTensor& dst);

}  // namespace fuseq::cpu
