// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Drops operations whose result is their input.
//
//   Law:     x * 1 = x, x / 1 = x, x + 0 = x - 0 = x; a conversion to the type that x has; a
//            Reshape, Tile, Broadcast, ... to the shape that x has; a Transpose that moves no
//            dimension of more than one element; a Concat of one input; an Identity.
//   Before:  x -> operation -> y      After:  x -> y
//   Refuses: nothing; where the shape is not known the operation stays.
//   Source:  the definitions of the operations.
#include "transformations/common/drop_identity_operations.hpp"

#include <algorithm>

#include "ops/binary_arithmetic.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace drop_identity_operations_pass {
namespace {

constexpr std::string_view kName = "drop_identity_operations";

bool keeps_static_shape(const Node& node) {
    const PartialShape& in = node.input(0).partial_shape();
    return in.is_static() && in == node.port().shape;
}

bool all_equal(const Output& source, float value) {
    const Tensor* constant = known_constant(source);
    if (constant == nullptr || constant->get_size() == 0) {
        return false;
    }
    const auto is_value = [&](float v) { return v == value; };
    if (constant->get_element_type() == ElementType::f32) {  // large ones without a copy
        const auto values = constant->values<float>();
        return std::all_of(values.begin(), values.end(), is_value);
    }
    const std::vector<float> values = to_floats(*constant);
    return std::all_of(values.begin(), values.end(), is_value);
}

// Operand `i` of a binary operation is neutral and the other one has the shape of the result.
bool is_neutral(const Node& node, std::size_t i, float value) {
    return node.input(1 - i).partial_shape() == node.port().shape &&
           all_equal(node.input(i), value);
}

bool moves_nothing(const Node& transpose) {
    const PartialShape& shape = transpose.input(0).partial_shape();
    const Tensor* order = known_constant(transpose.input(1));
    if (order == nullptr || order->get_size() == 0 || !keeps_static_shape(transpose)) {
        return false;
    }
    std::int64_t last = -1;
    for (const std::int64_t d : to_ints(*order)) {
        if (shape[static_cast<std::size_t>(d)] == Dimension(1)) {
            continue;
        }
        if (d < last) {
            return false;
        }
        last = d;
    }
    return true;
}

// The input that equals the result; a null Output when there is none.
Output same_as_result(const Node& node) {
    if (is_one_of(node, {"Multiply", "Add"})) {
        const float neutral = node.is("Multiply") ? 1.0f : 0.0f;
        for (const std::size_t i : {1, 0}) {
            if (is_neutral(node, i, neutral)) {
                return node.input(1 - i);
            }
        }
        return {};
    }
    bool same = false;
    if (is_one_of(node, {"Subtract", "Divide"})) {
        same = is_neutral(node, 1, node.is("Divide") ? 1.0f : 0.0f);
    } else if (node.is("Convert")) {
        same = node.input(0).type() == node.port().type;
    } else if (is_one_of(node, {"Reshape", "Squeeze", "Unsqueeze", "Tile", "Broadcast"})) {
        same = keeps_static_shape(node);
    } else if (node.is("Transpose")) {
        same = moves_nothing(node);
    } else if (node.is("Concat")) {
        same = node.input_count() == 1;
    } else if (node.is("Identity")) {
        same = true;
    }
    return same ? node.input(0) : Output{};
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        const Output source = same_as_result(*node);
        if (!source || source.type() != node->port().type) {
            continue;
        }
        context.rewritten(kName, *node);
        if (!source.node->is_constant() && !source.node->is("Parameter")) {
            add_origins(*source.node, *node);
        }
        redirect(node->output(), source);
        changed = true;
    }
    return changed;
}

}  // namespace
}  // namespace drop_identity_operations_pass

bool drop_identity_operations(Model& model, PassContext& context) {
    return drop_identity_operations_pass::run(model, context);
}

}  // namespace fuseq
