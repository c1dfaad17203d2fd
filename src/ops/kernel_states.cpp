// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/kernel_states.hpp"

#include <algorithm>

#include "fuseq/model.hpp"
#include "model/binary_attributes.hpp"

namespace fuseq {
namespace {

class RequestContext final : public EvalContext, public StateKeeper {
public:
    RequestContext(const Node& node, std::span<const Tensor> inputs, KernelStates* states)
        : EvalContext(node, inputs), states_(states), outputs_(node.output_count()) {}
    Tensor& output(std::size_t i, const Shape& shape) override {
        return outputs_.at(i) = Tensor(output_type(i), shape);
    }
    KernelStates* kernel_states() const override { return states_; }
    std::vector<Tensor>& outputs() { return outputs_; }

private:
    KernelStates* states_;
    std::vector<Tensor> outputs_;
};

bool has_random_node(const Model& model) {
    const auto nodes = model.ordered_nodes();
    return std::any_of(nodes.begin(), nodes.end(),
                       [](const Node* node) { return is_random(*node); });
}

}  // namespace

std::vector<Tensor> evaluate_in_request(const Node& node,
                                        std::span<const Tensor> inputs,
                                        KernelStates* states) {
    RequestContext context(node, inputs, states);
    node.spec().evaluate(context);
    return std::move(context.outputs());
}

bool is_random(const Node& node) {
    if (node.is("RandomUniform") || node.is("Multinomial")) {
        return true;
    }
    if (!node.is("If") && !node.is("Loop") && !node.is("TensorIterator")) {
        return false;
    }
    const std::vector<const Model*> bodies = bodies_of(node.attributes());
    return std::any_of(bodies.begin(), bodies.end(),
                       [](const Model* body) { return has_random_node(*body); });
}

}  // namespace fuseq
