// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Brings chains of Add and Multiply with constants to at most one Multiply and one Add.
//
//   Law:     (x + a) + b = x + (a + b);  (x * a) * b = x * (a * b);
//            (x + a) * b = x * b + a * b, up to rounding; the constants are combined in double.
//   Before:  x -> Multiply(a) -> Add(b) -> Multiply(c) -> Add(d)
//   After:   x -> Multiply(a * c) -> Add(b * c + d)
//            The third law is applied only where the Multiply meets another one, or a convolution
//            or matmul whose scale it joins.
//   Refuses: a result in the middle that something else reads; constants that make the result
//            larger than x; combined constants that are not finite.
//   Source:  DESIGN.md section 5: (x*A + B)*C = x*(A*C) + B*C.
#include "transformations/common/fold_multiply_add_chains.hpp"

#include <algorithm>
#include <cmath>

#include "ops/binary_arithmetic.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace fold_multiply_add_chains_pass {
namespace {

constexpr std::string_view kName = "fold_multiply_add_chains";

// `type`(x, constant) whose result has the shape of x.
bool is_with_constant(const Node& node, std::string_view type) {
    return node.is(type) && node.port().type == ElementType::f32 &&
           node.input_node(1)->is_constant() && !node.input_node(0)->is_constant() &&
           node.input(0).partial_shape() == node.port().shape &&
           node.attrs<BinaryAttrs>().auto_broadcast != AutoBroadcast::kPdpd;
}

// The node before it, when it is of that kind and nobody else reads it.
Node* front(const Node& node, std::string_view type) {
    Node* before = node.input_node(0);
    return is_with_constant(*before, type) && has_single_use(node.input(0)) ? before : nullptr;
}

// Element-wise, broadcast; an empty tensor when a value is not finite or, for a product, vanishes
// below the range of f32.
template <class Function>
Tensor combined(const Tensor& a, const Tensor& b, Function function) {
    const Shape shape = broadcast_shapes(a.get_shape(), b.get_shape());
    const std::vector<float> x = to_floats(a);
    const std::vector<float> y = to_floats(b);
    std::vector<float> values(shape_size(shape));
    for (StridedLoop loop(shape, {broadcast_strides(a.get_shape(), shape),
                                  broadcast_strides(b.get_shape(), shape)});
         !loop.done(); loop.next()) {
        const auto value = static_cast<float>(function(static_cast<double>(x[loop.offset(0)]),
                                                       static_cast<double>(y[loop.offset(1)])));
        if (!std::isfinite(value)) {
            return {};
        }
        values[loop.position()] = value;
    }
    return Tensor::of(shape, values);
}

double sum(double a, double b) {
    return a + b;
}
double product(double a, double b) {
    return a * b;
}

// node(before(x, a), b) -> node(x, a op b), under the node's name.
bool join(Node& node, Node& before, double (*function)(double, double)) {
    const Tensor value =
        combined(before.input_node(1)->constant(), node.input_node(1)->constant(), function);
    if (!value) {
        return false;
    }
    node.set_input(1, make_constant(node.model(), node.name() + "/constant", value));
    node.set_input(0, before.input(0));
    add_origins(node, before);
    node.infer();
    return true;
}

// Multiply(Add(x, a), b) -> Add(Multiply(x, b), a * b). The Multiply keeps its name, the Add too.
bool swap(Node& multiply, Node& add) {
    const Tensor shift =
        combined(add.input_node(1)->constant(), multiply.input_node(1)->constant(), product);
    if (!shift) {
        return false;
    }
    Model& model = multiply.model();
    Node* scaled =
        model.add("Multiply", 1, multiply.name(), {add.input(0), multiply.input(1)}, BinaryAttrs{});
    scaled->origins = origins_of(multiply);
    const Output constant = make_constant(model, add.name() + "/constant", shift);
    Node* shifted = model.add("Add", 1, add.name(), {scaled->output(), constant}, BinaryAttrs{});
    shifted->origins = origins_of(add);
    redirect(multiply.output(), shifted->output());
    return true;
}

bool takes_scale(const Output& source) {
    const Node& node = *source.node;
    return has_single_use(source) && (takes_weights(node) || is_with_constant(node, "Multiply"));
}

bool fold_at(Node& node) {
    if (is_with_constant(node, "Add")) {
        Node* before = front(node, "Add");
        return before != nullptr && join(node, *before, sum);
    }
    if (!is_with_constant(node, "Multiply")) {
        return false;
    }
    if (Node* before = front(node, "Multiply")) {
        return join(node, *before, product);
    }
    Node* before = front(node, "Add");
    return before != nullptr && takes_scale(before->input(0)) && swap(node, *before);
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    bool again = true;
    while (again) {  // every rewrite removes an operation or moves a Multiply up: it ends
        again = false;
        for (Node* node : model.ordered_nodes()) {
            if (!node->users().empty() && fold_at(*node)) {
                context.rewritten(kName, *node);
                again = true;
            }
        }
        model.remove_dead_nodes();
        changed = changed || again;
    }
    return changed;
}

}  // namespace
}  // namespace fold_multiply_add_chains_pass

bool fold_multiply_add_chains(Model& model, PassContext& context) {
    return fold_multiply_add_chains_pass::run(model, context);
}

}  // namespace fuseq
