// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/call_step.hpp"

namespace fuseq::cpu {
namespace {

class CallRunner final : public Runner {
public:
    CallRunner(const CallStep::Call& call, const Step& step, RequestMemory& memory)
        : call_(call), step_(step), memory_(memory) {
        now_.inputs.resize(step.inputs().size());
        now_.outputs.resize(step.outputs().size());
        now_.scratch.resize(step.scratch().size());
    }

    void run() override {
        place(step_.inputs(), now_.inputs);
        place(step_.outputs(), now_.outputs);
        place(step_.scratch(), now_.scratch);
        call_(now_);
    }

private:
    template <class Pointer>
    void place(const std::vector<TensorId>& ids, std::vector<Pointer>& pointers) const {
        for (std::size_t i = 0; i < ids.size(); ++i) {
            pointers[i] = memory_.data(ids[i]);
        }
    }

    const CallStep::Call& call_;
    const Step& step_;
    RequestMemory& memory_;
    CallMemory now_;
};

}  // namespace

CallStep::CallStep(Call call, Tensors tensors, StepInfo info) : call_(std::move(call)) {
    inputs_ = std::move(tensors.inputs);
    outputs_ = std::move(tensors.outputs);
    scratch_ = std::move(tensors.scratch);
    info_ = std::move(info);
}

std::unique_ptr<Runner> CallStep::bind(RequestMemory& memory) const {
    return std::make_unique<CallRunner>(call_, *this, memory);
}

}  // namespace fuseq::cpu
