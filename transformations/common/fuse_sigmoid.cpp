// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a Sigmoid of one that is spelled by an exponential.
//
//   Law:     y / (1 + exp(-(b x + c))) = y * sigmoid(b x + c), and without y where that is 1
//   Before:  Negative(x), or Multiply(x, -b) [-> Add(-c)], Exp, Add(1), Divide(y, sum) or
//            Power(sum, -1)
//   After:   [Multiply(x, b) -> Add(c) ->] Sigmoid [-> Multiply(y)]
//   Refuses: a sum that something else reads; another number than 1; constants that enlarge x.
//   Source:  the definition of the operation.
#include "transformations/common/fuse_sigmoid.hpp"

#include <optional>

#include "ops/binary_arithmetic.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/polynomial.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace fuse_sigmoid_pass {
namespace {

constexpr std::string_view kName = "fuse_sigmoid";

struct Found {
    Affine inner;  // what the sigmoid is of
    std::vector<const Node*> nodes;
};

// Of 1 + exp(-(b x + c)).
std::optional<Found> match(const Output& sum) {
    const Affine outer = affine_of(sum);
    if (outer.factor != 1 || outer.shift != 1 || outer.source == sum ||
        !outer.source.node->is("Exp") || !has_single_use(outer.source)) {
        return std::nullopt;
    }
    Affine inner = affine_of(outer.source.node->input(0));
    if (inner.source.partial_shape() != sum.partial_shape()) {
        return std::nullopt;
    }
    inner.factor = -inner.factor;
    inner.shift = -inner.shift;
    return Found{inner, {sum.node, outer.source.node}};
}

Output with_number(
    const char* type, const Output& x, double number, const Node& last, const std::string& name) {
    Model& model = last.model();
    const Output constant =
        make_constant(model, name + "/number", Tensor::scalar(static_cast<float>(number)));
    Node* made = model.add(type, 1, name, {x, constant}, BinaryAttrs{});
    made->origins = origins_of(last);
    return made->output();
}

Output make_sigmoid(const Found& found, const Node& last, const std::string& name) {
    Model& model = last.model();
    Output source = found.inner.source;
    if (found.inner.factor != 1) {
        source = with_number("Multiply", source, found.inner.factor, last, last.name() + "/scaled");
    }
    if (found.inner.shift != 0) {
        source = with_number("Add", source, found.inner.shift, last, last.name() + "/shifted");
    }
    Node* sigmoid = model.add("Sigmoid", 1, name, {source});
    sigmoid->origins = origins_of(last);
    for (const Node* node : found.nodes) {
        add_origins(*sigmoid, *node);
    }
    return sigmoid->output();
}

bool is_number(const Output& source, double number) {
    return constant_number(source) == std::optional<double>(number);
}

bool fuse(Node& node) {
    if (node.is("Power") && !is_number(node.input(1), -1)) {
        return false;
    }
    const bool divides = node.is("Divide");
    const auto found = match(node.input(divides ? 1 : 0));
    if (!found) {
        return false;
    }
    if (!divides || is_number(node.input(0), 1)) {
        if (node.port().shape != found->inner.source.partial_shape()) {
            return false;
        }
        redirect(node.output(), make_sigmoid(*found, node, node.name()));
        return true;
    }
    const Output sigmoid = make_sigmoid(*found, node, node.name() + "/sigmoid");
    Node* product =
        node.model().add("Multiply", 1, node.name(), {node.input(0), sigmoid}, BinaryAttrs{});
    product->origins = origins_of(node);
    redirect(node.output(), product->output());
    return true;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        const bool candidate =
            is_one_of(*node, {"Divide", "Power"}) && node->port().type == ElementType::f32;
        if (candidate && fuse(*node)) {
            context.rewritten(kName, *node);
            changed = true;
        }
    }
    return changed;
}

}  // namespace
}  // namespace fuse_sigmoid_pass

bool fuse_sigmoid(Model& model, PassContext& context) {
    return fuse_sigmoid_pass::run(model, context);
}

}  // namespace fuseq
