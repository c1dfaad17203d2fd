// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/reference.hpp"

#include "fuseq/error.hpp"
#include "ops/op_spec.hpp"

namespace fuseq::cpu {
namespace {

// Gives kernels the plan's memory for outputs of known shape and fresh tensors for the others.
class PlanEvalContext final : public EvalContext {
public:
    PlanEvalContext(const Node& node,
                    std::span<const Tensor> inputs,
                    RequestMemory& memory,
                    const std::vector<TensorId>& outputs)
        : EvalContext(node, inputs), memory_(memory), ids_(outputs), tensors_(outputs.size()) {}

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
    std::vector<Tensor> tensors_;
};

class ReferenceRunner final : public Runner {
public:
    ReferenceRunner(const Node& node,
                    const std::vector<TensorId>& arguments,
                    const std::vector<TensorId>& outputs,
                    RequestMemory& memory)
        : node_(node), arguments_(arguments), outputs_(outputs), memory_(memory) {}

    void run() override {
        std::vector<Tensor> inputs;
        inputs.reserve(arguments_.size());
        for (const TensorId id : arguments_) {
            inputs.push_back(id == kNoTensor ? Tensor() : memory_.as_tensor(id));
        }
        PlanEvalContext context(node_, inputs, memory_, outputs_);
        node_.spec().evaluate(context);
        context.store_dynamic();
    }

private:
    const Node& node_;
    const std::vector<TensorId>& arguments_;
    const std::vector<TensorId>& outputs_;
    RequestMemory& memory_;
};

}  // namespace

ReferenceStep::ReferenceStep(const Node& node,
                             std::vector<TensorId> inputs,
                             std::vector<TensorId> outputs)
    : node_(node), arguments_(std::move(inputs)) {
    for (const TensorId id : arguments_) {
        if (id != kNoTensor) {
            inputs_.push_back(id);
        }
    }
    outputs_ = std::move(outputs);
    info_.name = node.name();
    info_.kind = node.type();
    info_.implementation = "reference";
    info_.layers = {node.name()};
    info_.layout = "plain";
    info_.src_type =
        node.input_count() != 0 && node.has_input(0) ? to_string(node.input(0).type()) : "";
    info_.dst_type = to_string(node.port(0).type);
}

std::unique_ptr<Runner> ReferenceStep::bind(RequestMemory& memory) const {
    return std::make_unique<ReferenceRunner>(node_, arguments_, outputs_, memory);
}

}  // namespace fuseq::cpu
