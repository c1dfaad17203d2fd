// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/layer_results.hpp"

#include "transformations/support/constants.hpp"

namespace fuseq::quantizer {

namespace {

// Whether the sum has as many values as the tensor; leading dimensions of 1 may be added.
bool keeps_size(const PartialShape& tensor, const PartialShape& sum) {
    if (!tensor.rank_is_static() || !sum.rank_is_static() || sum.rank() < tensor.rank()) {
        return false;
    }
    const std::size_t more = sum.rank() - tensor.rank();
    for (std::size_t d = 0; d < sum.rank(); ++d) {
        const bool same = d < more ? sum[d] == Dimension(1) : sum[d] == tensor[d - more];
        if (!same) {
            return false;
        }
    }
    return true;
}

}  // namespace

Output with_bias(Node& anchor) {
    const auto& uses = anchor.port().uses;
    const bool biased = uses.size() == 1 && uses[0].node->is("Add") && uses[0].index == 0 &&
                        is_constant_expression(uses[0].node->input(1)) &&
                        keeps_size(anchor.port().shape, uses[0].node->port().shape);
    return biased ? uses[0].node->output() : anchor.output();
}

Output exact_result(const Model& exact, const Output& of_quantized) {
    Node* same = exact.find(of_quantized.node->name());
    return same != nullptr ? same->output(of_quantized.index)
                           : exact.find(of_quantized.node->input_node(0)->name())->output();
}

void remove_unread_parameters(Model& model, const std::set<const Node*>& but) {
    const std::vector<Node*> parameters = model.parameters();
    for (Node* parameter : parameters) {
        if (parameter->port().uses.empty() && !but.contains(parameter)) {
            model.remove(parameter);
        }
    }
}

void keep_results_only(Model& model, const std::vector<Output>& results) {
    const std::vector<Node*> old = model.results();
    for (std::size_t i = 0; i < results.size(); ++i) {
        model.add_result(model.unique_name("part"), results[i]);
    }
    for (Node* result : old) {
        model.remove(result);
    }
    model.remove_dead_nodes();
}

}  // namespace fuseq::quantizer
