// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/integer_producer.hpp"

#include "transformations/support/rewrite.hpp"

namespace fuseq {

bool comes_from_integer_anchor(const Output& tensor) {
    const Output* at = &tensor;
    while (has_single_use(*at)) {
        const Node& node = *at->node;
        if (takes_weights(node)) {
            return is_integral(node.input(0).type());
        }
        if (!is_one_of(node,
                       {"Add", "Multiply", "Subtract", "ReLU", "PReLU", "Clamp", "Elu", "Sigmoid",
                        "Tanh", "HSwish", "Swish", "HSigmoid", "Mish", "Gelu", "MaxPool"})) {
            return false;
        }
        at = &node.input(0);
    }
    return false;
}

}  // namespace fuseq
