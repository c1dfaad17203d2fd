// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a SoftMax of one that is spelled by exponentials and their sum.
//
//   Law:     e / sum(e) = SoftMax(x) for e = exp(x - max(x)); the maximum cancels, so that the law
//            holds for e = exp(x) too, where it only spares an overflow.
//   Before:  [ReduceMax(x), Subtract(x, max) ->] Exp -> ReduceSum, Divide(e, sum); or the
//            reciprocal of the sum (Divide(1, sum), Power(-1)) and Multiply
//   After:   SoftMax(x)
//   Refuses: a sum over several axes, one that drops its axis, a maximum over another axis or of
//            something else (then exp(x - m) is taken as exp of that difference).
//   Source:  the definitions of the operations.
#include "transformations/common/fuse_softmax.hpp"

#include <optional>

#include "ops/axes.hpp"
#include "ops/reduce.hpp"
#include "ops/softmax.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace fuse_softmax_pass {
namespace {

constexpr std::string_view kName = "fuse_softmax";

// The one axis of a reduction that keeps dimensions.
std::optional<std::size_t> axis_of(const Output& reduced, std::string_view type) {
    const Node& node = *reduced.node;
    if (!node.is(type) || !node.attrs<ReduceAttrs>().keep_dims ||
        !reduced.partial_shape().rank_is_static()) {
        return std::nullopt;
    }
    const Tensor* axes = known_constant(node.input(1));
    if (axes == nullptr || axes->get_size() != 1) {
        return std::nullopt;
    }
    return wrapped_axis(to_ints(*axes)[0], reduced.partial_shape().rank());
}

// The sum that a factor is the reciprocal of.
Output reciprocal_of(const Output& factor) {
    const Node& node = *factor.node;
    if (node.is("Divide") && constant_number(node.input(0)) == std::optional<double>(1)) {
        return node.input(1);
    }
    if (node.is("Power") && constant_number(node.input(1)) == std::optional<double>(-1)) {
        return node.input(0);
    }
    return {};
}

struct Parts {
    Output exponentials;
    Output sum;
    const Node* reciprocal = nullptr;
};

// What a quotient, or a product with a reciprocal, is of.
std::optional<Parts> parts_of(const Node& node) {
    if (node.is("Divide")) {
        return Parts{node.input(0), node.input(1)};
    }
    for (const std::size_t i : {0, 1}) {
        if (const Output sum = reciprocal_of(node.input(1 - i))) {
            return Parts{node.input(i), sum, node.input_node(1 - i)};
        }
    }
    return std::nullopt;
}

struct Source {
    Output x;
    std::vector<const Node*> nodes;  // the subtraction and the maximum, or none
};

// x of exp(x - max(x)), or all of what the exponential is of.
Source source_of(const Node& exponential, std::size_t axis) {
    const Output inner = exponential.input(0);
    if (inner.node->is("Subtract")) {
        const Output max = inner.node->input(1);
        if (axis_of(max, "ReduceMax") == std::optional(axis) &&
            max.node->input(0) == inner.node->input(0)) {
            return {inner.node->input(0), {inner.node, max.node}};
        }
    }
    return {inner, {}};
}

bool fuse(Node& node) {
    const auto parts = parts_of(node);
    if (!parts || !parts->exponentials.node->is("Exp")) {
        return false;
    }
    const auto axis = axis_of(parts->sum, "ReduceSum");
    if (!axis || parts->sum.node->input(0) != parts->exponentials) {
        return false;
    }
    const Source source = source_of(*parts->exponentials.node, *axis);
    SoftmaxAttrs attrs;
    attrs.axis = static_cast<std::int64_t>(*axis);
    Node* softmax = node.model().add("SoftMax", 8, node.name(), {source.x}, attrs);
    softmax->origins = origins_of(node);
    const Node* const parts_of_sum[] = {parts->exponentials.node, parts->sum.node,
                                        parts->reciprocal};
    for (const Node* part : parts_of_sum) {
        if (part != nullptr) {
            add_origins(*softmax, *part);
        }
    }
    for (const Node* part : source.nodes) {
        add_origins(*softmax, *part);
    }
    redirect(node.output(), softmax->output());
    return true;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        const bool candidate =
            is_one_of(*node, {"Divide", "Multiply"}) && node->port().type == ElementType::f32;
        if (candidate && fuse(*node)) {
            context.rewritten(kName, *node);
            changed = true;
        }
    }
    return changed;
}

}  // namespace
}  // namespace fuse_softmax_pass

bool fuse_softmax(Model& model, PassContext& context) {
    return fuse_softmax_pass::run(model, context);
}

}  // namespace fuseq
