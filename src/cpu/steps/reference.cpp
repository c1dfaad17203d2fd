// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/reference.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "ops/kernel_states.hpp"
#include "ops/op_spec.hpp"

namespace fuseq::cpu {
namespace {

using BoundBodies = std::unordered_map<const Model*, BodyFunction>;

// Gives kernels the plan's memory for outputs of known shape and fresh tensors for the others.
class PlanEvalContext final : public EvalContext, public BodyRunner, public StateKeeper {
public:
    PlanEvalContext(const Node& node,
                    std::span<const Tensor> inputs,
                    RequestMemory& memory,
                    const std::vector<TensorId>& outputs,
                    const BoundBodies& bodies,
                    KernelStates* states)
        : EvalContext(node, inputs),
          memory_(memory),
          ids_(outputs),
          bodies_(bodies),
          states_(states),
          tensors_(outputs.size()) {}

    KernelStates* kernel_states() const override { return states_; }

    BodyFunction run_body(const Model& body) const override {
        const auto found = bodies_.find(&body);
        return found == bodies_.end() ? BodyFunction() : found->second;
    }

    Tensor& output(std::size_t i, const Shape& shape) override {
        const PlanTensor& planned = memory_.tensor(ids_.at(i));
        if (planned.storage == Storage::kDynamic) {
            return tensors_[i] = Tensor(planned.type, shape);
        }
        if (shape != planned.dims()) {
            fail("output ", i, " has shape ", to_string(shape), ", the plan says ",
                 to_string(planned.shape));
        }
        return tensors_[i] = Tensor(planned.type, shape, memory_.data(ids_[i]));
    }

    void store_dynamic() {
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            if (memory_.tensor(ids_[i]).storage == Storage::kDynamic) {
                memory_.set_dynamic(ids_[i], tensors_[i]);
            }
        }
    }

private:
    RequestMemory& memory_;
    const std::vector<TensorId>& ids_;
    const BoundBodies& bodies_;
    KernelStates* states_;
    std::vector<Tensor> tensors_;
};

class ReferenceRunner final : public Runner {
public:
    ReferenceRunner(const Node& node,
                    const std::vector<TensorId>& arguments,
                    const std::vector<TensorId>& outputs,
                    RequestMemory& memory,
                    const CompiledBodies& bodies,
                    const OwnKernel& own)
        : node_(node),
          arguments_(arguments),
          outputs_(outputs),
          memory_(memory),
          states_(states_of(memory)),
          kernel_(own.make != nullptr ? own.make() : NodeKernel(node.spec().evaluate)) {
        for (const auto& [model, body] : bodies) {
            BodyFunction& function = bodies_[model] = body.bind();
            const auto* stateful = function.target<BodyWithStates>();
            if (states_ != nullptr && stateful != nullptr) {
                stateful->keep_states_in(states_->in_bodies(node));
            }
        }
    }

    void run() override {
        std::vector<Tensor> inputs;
        inputs.reserve(arguments_.size());
        for (const TensorId id : arguments_) {
            inputs.push_back(id == kNoTensor ? Tensor() : memory_.as_tensor(id));
        }
        PlanEvalContext context(node_, inputs, memory_, outputs_, bodies_, states_);
        kernel_(context);
        context.store_dynamic();
    }

private:
    const Node& node_;
    const std::vector<TensorId>& arguments_;
    const std::vector<TensorId>& outputs_;
    RequestMemory& memory_;
    KernelStates* states_;
    BoundBodies bodies_;
    NodeKernel kernel_;
};

}  // namespace

ReferenceStep::ReferenceStep(const Node& node,
                             std::vector<TensorId> inputs,
                             std::vector<TensorId> outputs,
                             CompiledBodies bodies,
                             OwnKernel own)
    : node_(node), arguments_(std::move(inputs)), bodies_(std::move(bodies)), own_(own) {
    for (const TensorId id : arguments_) {
        if (id != kNoTensor) {
            inputs_.push_back(id);
        }
    }
    outputs_ = std::move(outputs);
    info_.name = node.name();
    info_.kind = node.type();
    info_.implementation = own_.make != nullptr ? own_.implementation
                           : bodies_.empty()    ? "reference"
                                                : "fuseq:body";
    for (const auto& [model, body] : bodies_) {
        info_.notes.push_back(fmt::format("body '{}': {}", model->name(), body.summary));
    }
    std::sort(info_.notes.begin(), info_.notes.end());
    info_.layers = {node.name()};
    info_.layout = "plain";
    info_.src_type =
        node.input_count() != 0 && node.has_input(0) ? to_string(node.input(0).type()) : "";
    info_.dst_type = to_string(node.port(0).type);
}

std::unique_ptr<Runner> ReferenceStep::bind(RequestMemory& memory) const {
    return std::make_unique<ReferenceRunner>(node_, arguments_, outputs_, memory, bodies_, own_);
}

std::size_t ReferenceStep::packed_bytes() const {
    std::size_t bytes = 0;
    for (const auto& [model, body] : bodies_) {
        bytes += body.bytes;
    }
    return bytes;
}

}  // namespace fuseq::cpu
