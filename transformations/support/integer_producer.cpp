// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/integer_producer.hpp"

#include "transformations/support/rewrite.hpp"

namespace fuseq {

namespace {

// The convolution or matmul before element-wise operations that are read by one node each;
// null: none.
const Node* anchor_before(const Output& tensor) {
    const Output* at = &tensor;
    while (has_single_use(*at)) {
        const Node& node = *at->node;
        if (takes_weights(node)) {
            return &node;
        }
        if (!is_one_of(node,
                       {"Add", "Multiply", "Subtract", "ReLU", "PReLU", "Clamp", "Elu", "Sigmoid",
                        "Tanh", "HSwish", "Swish", "HSigmoid", "Mish", "Gelu", "MaxPool"})) {
            return nullptr;
        }
        at = &node.input(0);
    }
    return nullptr;
}

}  // namespace

bool comes_from_integer_anchor(const Output& tensor) {
    const Node* anchor = anchor_before(tensor);
    return anchor != nullptr && is_integral(anchor->input(0).type());
}

bool comes_from_convolution_of_few_channels(const Output& tensor) {
    constexpr std::size_t kFewChannels = 4;
    const Node* anchor = anchor_before(tensor);
    if (anchor == nullptr || !anchor->is("Convolution") || !anchor->input_node(1)->is_constant() ||
        anchor->input(1).shape().size() != 4) {
        return false;
    }
    return anchor->input(1).shape()[1] <= kFewChannels;
}

bool comes_from_resized_integers(const Output& tensor) {
    const Output* at = &tensor;
    while (is_one_of(*at->node, {"Subtract", "Multiply"}) &&
           at->node->input_node(1)->is_constant() && has_single_use(at->node->input(0))) {
        at = &at->node->input(0);
    }
    return at->node->is("Interpolate") && !at->node->input_node(0)->is_constant() &&
           at->node->input_node(0)->is("Convert") &&
           is_integral(at->node->input_node(0)->input(0).type());
}

}  // namespace fuseq
