// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes an MVN of a normalisation that is spelled by means, differences and a root.
//
//   Law:     with m = mean(x), d = x - m, v = mean(d * d):
//            d / sqrt(v + eps) = MVN(x), eps inside the root, or d / (sqrt(v) + eps), outside;
//            x * r * g + (b - m * r * g) = MVN(x) * g + b for r = 1 / sqrt(v + eps)
//   Before:  ReduceMean(x), Subtract, Power(2) or Multiply(d, d) or SquaredDifference(x, m),
//            ReduceMean, Add(eps), Sqrt and Divide, or Power(-0.5) and Multiply.
//            A gain may be multiplied with the reciprocal first: d * (r * g).
//   After:   MVN(x, axes) [-> Multiply(g) -> Add(b)]
//   Refuses: means that drop dimensions, or over other dimensions; eps that is no number above 0.
//            Results in the middle may be read elsewhere: they stay then.
//   Source:  the definitions of the operations; layer normalisation as PyTorch and TensorFlow
//            export it.
#include "transformations/common/fuse_layer_norm.hpp"

#include <optional>

#include "ops/binary_arithmetic.hpp"
#include "ops/mvn.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/deviation.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace fuse_layer_norm_pass {
namespace {

constexpr std::string_view kName = "fuse_layer_norm";

struct Norm {
    Output x;
    Output mean;
    std::vector<std::int64_t> axes;
    double eps = 0;
    EpsMode mode = EpsMode::kInsideSqrt;
    std::vector<const Node*> nodes;  // what becomes the MVN
};

// x - mean(x).
bool is_difference(const Output& output, const Norm& norm) {
    return output.node->is("Subtract") && output.node->input(0) == norm.x &&
           output.node->input(1) == norm.mean;
}

// Fills in x and its mean, given d * d in one of its spellings.
bool match_square(const Output& square, Norm& norm) {
    const Node& node = *square.node;
    if (node.is("SquaredDifference")) {
        const std::size_t mean = node.input(1).node->is("ReduceMean") ? 1 : 0;
        norm.x = node.input(1 - mean);
        norm.mean = node.input(mean);
    } else {
        const Output difference = under_square(square);
        if (!difference || !difference.node->is("Subtract")) {
            return false;
        }
        norm.x = difference.node->input(0);
        norm.mean = difference.node->input(1);
        norm.nodes.push_back(difference.node);
    }
    const auto axes = axes_of_mean(norm.mean);
    if (!axes || norm.mean.node->input(0) != norm.x || *axes != norm.axes ||
        norm.x.type() != ElementType::f32) {
        return false;
    }
    norm.nodes.push_back(&node);
    norm.nodes.push_back(norm.mean.node);
    return true;
}

// The normalisation whose deviation it is: v = mean(d * d).
std::optional<Norm> norm_of(const std::optional<Deviation>& deviation) {
    auto axes = deviation ? axes_of_mean(deviation->variance) : std::nullopt;
    if (!axes) {
        return std::nullopt;
    }
    Norm norm;
    norm.axes = std::move(*axes);
    norm.eps = deviation->eps;
    norm.mode = deviation->mode;
    norm.nodes = deviation->nodes;
    const Node* variance = deviation->variance.node;
    norm.nodes.push_back(variance);
    return match_square(variance->input(0), norm) ? std::optional(norm) : std::nullopt;
}

std::optional<Norm> match_inverse(const Output& inverse) {
    return norm_of(match_inverse_deviation(inverse));
}

Output make_norm(const Norm& norm, const Node& last, const std::string& name) {
    Model& model = last.model();
    MvnAttrs attrs;
    attrs.normalize_variance = true;
    attrs.eps = static_cast<float>(norm.eps);
    attrs.eps_mode = norm.mode;
    const Output axes =
        make_constant(model, name + "/axes", Tensor::of(Shape{norm.axes.size()}, norm.axes));
    Node* mvn = model.add("MVN", 6, name, {norm.x, axes}, attrs);
    mvn->origins = origins_of(last);
    for (const Node* node : norm.nodes) {
        add_origins(*mvn, *node);
    }
    return mvn->output();
}

// d / deviation, or d * inverse.
bool fuse_quotient(Node& node) {
    for (const std::size_t i : {0, 1}) {
        const bool divides = node.is("Divide");
        if (divides && i == 1) {
            break;
        }
        auto norm =
            divides ? norm_of(match_deviation(node.input(1))) : match_inverse(node.input(1 - i));
        if (norm && is_difference(node.input(i), *norm)) {
            norm->nodes.push_back(node.input_node(i));
            redirect(node.output(), make_norm(*norm, node, node.name()));
            return true;
        }
    }
    return false;
}

// The operand of a product that is not `operand`.
Output other_factor(const Output& product, const Output& operand) {
    for (const std::size_t i : {0, 1}) {
        if (product.node->is("Multiply") && product.node->input(i) == operand) {
            return product.node->input(1 - i);
        }
    }
    return {};
}

// inverse * g, or the inverse itself.
std::optional<std::pair<Norm, Output>> match_gain(const Output& gain) {
    if (auto norm = match_inverse(gain)) {
        return std::pair{std::move(*norm), Output{}};
    }
    for (const std::size_t i : {0, 1}) {
        if (!gain.node->is("Multiply")) {
            break;
        }
        if (auto norm = match_inverse(gain.node->input(i))) {
            norm->nodes.push_back(gain.node);
            return std::pair{std::move(*norm), gain.node->input(1 - i)};
        }
    }
    return std::nullopt;
}

// d * (inverse * g).
bool fuse_product(Node& node) {
    for (const std::size_t i : {0, 1}) {
        auto found = node.is("Multiply") ? match_gain(node.input(1 - i)) : std::nullopt;
        if (!found || !found->second || !is_difference(node.input(i), found->first)) {
            continue;
        }
        auto& [norm, factor] = *found;
        norm.nodes.push_back(node.input_node(i));
        const Output result = make_norm(norm, node, node.name() + "/norm");
        Node* product =
            node.model().add("Multiply", 1, node.name(), {result, factor}, BinaryAttrs{});
        product->origins = origins_of(node);
        redirect(node.output(), product->output());
        return true;
    }
    return false;
}

// x * gain + (b - m * gain), the operands in this order.
bool fuse_sum(Node& last, const Output& product, const Output& rest) {
    if (!product.node->is("Multiply") || !rest.node->is("Subtract")) {
        return false;
    }
    for (const std::size_t i : {0, 1}) {
        const Output gain = product.node->input(i);
        auto found = match_gain(gain);
        if (!found || product.node->input(1 - i) != found->first.x ||
            other_factor(rest.node->input(1), gain) != found->first.mean) {
            continue;
        }
        auto& [norm, factor] = *found;
        norm.nodes.insert(norm.nodes.end(), {product.node, rest.node, rest.node->input_node(1)});
        Model& model = last.model();
        Output result = make_norm(norm, last, last.name() + "/norm");
        if (factor) {
            result =
                model.add("Multiply", 1, last.name() + "/gain", {result, factor}, BinaryAttrs{})
                    ->output();
        }
        Node* sum = model.add("Add", 1, last.name(), {result, rest.node->input(0)}, BinaryAttrs{});
        sum->origins = origins_of(last);
        redirect(last.output(), sum->output());
        return true;
    }
    return false;
}

bool fuse(Node& node) {
    if (node.port().type != ElementType::f32) {
        return false;
    }
    return node.is("Add") ? fuse_sum(node, node.input(0), node.input(1)) ||
                                fuse_sum(node, node.input(1), node.input(0))
                          : fuse_quotient(node) || fuse_product(node);
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        if (is_one_of(*node, {"Divide", "Multiply", "Add"}) && fuse(*node)) {
            context.rewritten(kName, *node);
            changed = true;
        }
    }
    return changed;
}

}  // namespace
}  // namespace fuse_layer_norm_pass

bool fuse_layer_norm(Model& model, PassContext& context) {
    return fuse_layer_norm_pass::run(model, context);
}

}  // namespace fuseq
