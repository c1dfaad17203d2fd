// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/kernel_step.hpp"

namespace fuseq::cpu {
namespace {

class KernelRunner final : public Runner {
public:
    KernelRunner(const KernelStep::Kernel& kernel,
                 TensorId src,
                 TensorId dst,
                 RequestMemory& memory)
        : kernel_(kernel), src_(src), dst_(dst), memory_(memory) {}
    void run() override { kernel_(memory_.data(src_), memory_.data(dst_)); }

private:
    const KernelStep::Kernel& kernel_;
    TensorId src_;
    TensorId dst_;
    RequestMemory& memory_;
};

}  // namespace

KernelStep::KernelStep(Kernel kernel, TensorId src, TensorId dst, StepInfo info)
    : kernel_(std::move(kernel)) {
    inputs_ = {src};
    outputs_ = {dst};
    info_ = std::move(info);
}

std::unique_ptr<Runner> KernelStep::bind(RequestMemory& memory) const {
    return std::make_unique<KernelRunner>(kernel_, inputs_[0], outputs_[0], memory);
}

StepInfo kernel_info(const char* kind,
                     const char* implementation,
                     const PlanTensor& src,
                     const PlanTensor& dst) {
    StepInfo info;
    info.kind = kind;
    info.implementation = std::string("fuseq:") + implementation;
    info.src_type = to_string(src.type);
    info.dst_type = to_string(dst.type);
    info.layout = to_string(src.layout);
    info.bytes = static_cast<std::int64_t>(src.bytes() + dst.bytes());
    return info;
}

}  // namespace fuseq::cpu
