// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One spelling for arithmetic with constants: Add or Multiply, the constant second.
//
//   Law:     c + x = x + c, c * x = x * c, x - c = x + (-c) exactly; c - x = x * (-1) + c exactly;
//            x / c = x * (1 / c) exactly where c is a power of two.
//   Before:  Add(c, x), Multiply(c, x), Subtract(x, c), Subtract(c, x), Divide(x, c), Negative(x)
//   After:   Add(x, c), Multiply(x, c), Add(x, -c), Add(Multiply(x, -1), c), Multiply(x, 1 / c)
//   Refuses: integers; pdpd broadcasting; Divide by anything but powers of two, which would round
//            differently (inexact_reciprocal).
//   Source:  IEEE 754: negation is exact, so is scaling by a power of two.
#include "transformations/common/normalize_constant_operands.hpp"

#include <algorithm>
#include <cmath>

#include "ops/binary_arithmetic.hpp"
#include "ops/divide.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace normalize_constant_operands_pass {
namespace {

constexpr std::string_view kName = "normalize_constant_operands";

bool is_constant_input(const Node& node, std::size_t i) {
    return node.input_node(i)->is_constant();
}

Tensor map_values(const Tensor& tensor, float (*function)(float)) {
    std::vector<float> values = to_floats(tensor);
    std::transform(values.begin(), values.end(), values.begin(), function);
    return Tensor::of(tensor.get_shape(), values);
}

float negated(float v) {
    return -v;
}
float reciprocal(float v) {
    return 1.0f / v;
}

bool is_power_of_two(float v) {
    int exponent = 0;
    return std::isnormal(v) && std::isnormal(1.0f / v) &&
           std::abs(std::frexp(v, &exponent)) == 0.5f;
}

// Puts `type`(x, c) in the place of `node`, under its name.
void replace_by(Node& node, const char* type, const Output& x, const Tensor& c) {
    Model& model = node.model();
    const Output constant = make_constant(model, node.name() + "/constant", c);
    Node* made = model.add(type, 1, node.name(), {x, constant}, BinaryAttrs{});
    made->origins = origins_of(node);
    made->rt_info = node.rt_info;
    redirect(node.output(), made->output());
}

Output times_minus_one(Node& node, const Output& x) {
    Model& model = node.model();
    const Output constant = make_constant(model, node.name() + "/minus_one", Tensor::scalar(-1.0f));
    Node* made = model.add("Multiply", 1, node.name() + "/negate", {x, constant}, BinaryAttrs{});
    made->origins = origins_of(node);
    return made->output();
}

bool normalize_divide(Node& node, PassContext& context) {
    if (!is_constant_input(node, 1)) {
        return false;
    }
    const Tensor& divisor = node.input_node(1)->constant();
    const std::vector<float> values = to_floats(divisor);
    if (!std::all_of(values.begin(), values.end(), is_power_of_two)) {
        context.refused(kName, node, "inexact_reciprocal",
                        "the divisor is no power of two, its reciprocal would be rounded");
        return false;
    }
    replace_by(node, "Multiply", node.input(0), map_values(divisor, reciprocal));
    return true;
}

bool normalize_subtract(Node& node) {
    if (is_constant_input(node, 1)) {
        const Tensor& c = node.input_node(1)->constant();
        replace_by(node, "Add", node.input(0), map_values(c, negated));
        return true;
    }
    if (is_constant_input(node, 0)) {
        const Tensor& c = node.input_node(0)->constant();
        replace_by(node, "Add", times_minus_one(node, node.input(1)), c);
        return true;
    }
    return false;
}

AutoBroadcast broadcast_of(const Node& node) {
    return node.is("Divide") ? node.attrs<DivideAttrs>().auto_broadcast
                             : node.attrs<BinaryAttrs>().auto_broadcast;
}

bool normalize(Node& node, PassContext& context) {
    if (node.is("Negative")) {
        replace_by(node, "Multiply", node.input(0), Tensor::scalar(-1.0f));
        return true;
    }
    if (broadcast_of(node) == AutoBroadcast::kPdpd ||
        (is_constant_input(node, 0) && is_constant_input(node, 1))) {
        return false;
    }
    if (node.is("Divide")) {
        return normalize_divide(node, context);
    }
    if (node.is("Subtract")) {
        return normalize_subtract(node);
    }
    if (!is_constant_input(node, 0)) {
        return false;
    }
    const Output constant = node.input(0);
    node.set_input(0, node.input(1));
    node.set_input(1, constant);
    node.infer();
    return true;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        const bool candidate =
            is_one_of(*node, {"Add", "Multiply", "Subtract", "Divide", "Negative"}) &&
            node->port().type == ElementType::f32 && !is_constant_expression(node->input(0));
        const bool constant_first = is_one_of(*node, {"Add", "Multiply", "Subtract"}) &&
                                    node->port().type == ElementType::f32 &&
                                    is_constant_input(*node, 0) &&
                                    !is_constant_expression(node->input(1));
        if ((candidate || constant_first) && normalize(*node, context)) {
            changed = true;
        }
    }
    return changed;
}

}  // namespace
}  // namespace normalize_constant_operands_pass

bool normalize_constant_operands(Model& model, PassContext& context) {
    return normalize_constant_operands_pass::run(model, context);
}

}  // namespace fuseq
