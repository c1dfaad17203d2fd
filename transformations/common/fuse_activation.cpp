// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes one operation of an activation that is spelled as a product.
//
//   Law:     x * sigmoid(b x) = Swish(x, b);  x * tanh(softplus(x)) = Mish(x);
//            x * clamp(x + 3, 0, 6) = 6 HSwish(x);  clamp(x + 3, 0, 6) / 6 = HSigmoid(x);
//            x * (1 + erf(a x)) = 2 / s * Gelu(s x), s = a * sqrt(2);
//            x * (1 + tanh(a x + a b x^3)) = 2 Gelu_tanh(x) for the a and b of Gelu.
//            A constant number among the factors stays a Multiply behind.
//   Before:  Multiply or Divide of x, what x became, and constant numbers, in any order
//   After:   [Multiply ->] activation [-> Multiply]
//   Refuses: results in the middle that something else reads, shapes that a constant enlarges,
//            other constants, a product with a fourth tensor in it (the inner product is tried
//            then).
//   Source:  the definitions of the operations; what exporters write that have no such operation.
#include "transformations/common/fuse_activation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <unordered_set>

#include "ops/binary_arithmetic.hpp"
#include "ops/clamp.hpp"
#include "ops/gelu.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace {

constexpr std::string_view kName = "fuse_activation";
// Factors of a product that are no constants, and operations that are looked at in all.
constexpr std::size_t kMostFactors = 2;
constexpr std::size_t kMostNodes = 12;
// Two constants that mean the same number, stored in f32.
constexpr double kSame = 1e-6;

bool same(double a, double b) {
    return std::abs(a - b) <= kSame * std::max(std::abs(a), std::abs(b));
}

struct Product {
    double factor = 1;
    std::vector<Output> parts;
    std::vector<const Node*> nodes;  // multiplications and divisions, the last one first
};

// Operand 0 or 1 of a binary operation that is one constant number.
std::optional<std::pair<std::size_t, double>> number_operand(const Node& node) {
    for (const std::size_t i : {1, 0}) {
        if (const auto number = constant_number(node.input(i))) {
            return std::pair{i, *number};
        }
    }
    return std::nullopt;
}

bool is_inner_product(const Output& source) {
    return is_one_of(*source.node, {"Multiply", "Divide"}) && has_single_use(source);
}

// The factors of a tree of multiplications; nothing when there are too many.
std::optional<Product> product_of(const Node& last) {
    Product product;
    std::vector<const Node*> todo = {&last};
    while (!todo.empty()) {
        const Node* node = todo.back();
        todo.pop_back();
        product.nodes.push_back(node);
        if (product.nodes.size() > kMostNodes) {
            return std::nullopt;
        }
        const auto number = number_operand(*node);
        const bool divides = node->is("Divide");
        if (divides && (!number || number->first != 1 || number->second == 0)) {
            return std::nullopt;
        }
        if (number) {
            product.factor *= divides ? 1 / number->second : number->second;
        }
        for (std::size_t i = 0; i < 2; ++i) {
            const Output& source = node->input(i);
            if (number && number->first == i) {
                continue;
            }
            if (is_inner_product(source)) {
                todo.push_back(source.node);
            } else {
                product.parts.push_back(source);
            }
        }
    }
    if (product.parts.empty() || product.parts.size() > kMostFactors) {
        return std::nullopt;
    }
    return product;
}

// factor * source, through one multiplication or division by a number.
struct Scaled {
    Output source;
    double factor = 1;
};

Scaled scaled(const Output& output) {
    if (is_one_of(*output.node, {"Multiply", "Divide"}) && has_single_use(output)) {
        const auto number = number_operand(*output.node);
        if (number &&
            (output.node->is("Multiply") || (number->first == 1 && number->second != 0))) {
            const double factor = output.node->is("Divide") ? 1 / number->second : number->second;
            return {output.node->input(1 - number->first), factor};
        }
    }
    return {output, 1};
}

// The other operand of an Add of this number, read by nobody else.
Output without_summand(const Output& output, double number) {
    if (output.node->is("Add") && has_single_use(output)) {
        const auto operand = number_operand(*output.node);
        if (operand && same(operand->second, number)) {
            return output.node->input(1 - operand->first);
        }
    }
    return {};
}

// The source of an operation that one other reads.
Output source_of(const Output& output, std::string_view type) {
    return output && output.node->is(type) && has_single_use(output) ? output.node->input(0)
                                                                     : Output{};
}

// y of clamp(y + 3, 0, 6).
Output shifted_clamp(const Output& output) {
    if (!output.node->is("Clamp") || !has_single_use(output)) {
        return {};
    }
    const auto& attrs = output.node->attrs<ClampAttrs>();
    return attrs.min == 0.0f && attrs.max == 6.0f ? without_summand(output.node->input(0), 3)
                                                  : Output{};
}

// x of min(max(x / 6 + 1 / 2, 0), 1).
Output hard_sigmoid_source(const Output& output) {
    const Output x = source_of(output, "HardSigmoid");
    const auto alpha = x ? constant_number(output.node->input(1)) : std::nullopt;
    const auto beta = x ? constant_number(output.node->input(2)) : std::nullopt;
    return alpha && beta && same(*alpha, 1.0 / 6) && *beta == 0.5 ? x : Output{};
}

// log(1 + exp(x)), or SoftPlus(x).
Output softplus_source(const Output& output) {
    if (Output source = source_of(output, "SoftPlus")) {
        return source;
    }
    const Output sum = source_of(output, "Log");
    return sum ? source_of(without_summand(sum, 1), "Exp") : Output{};
}

// x of a * (x + b * x^3), for the a and b of Gelu.
Output cubic_source(const Output& output) {
    const Scaled outer = scaled(output);
    if (!same(outer.factor, std::sqrt(2 / std::numbers::pi)) || !outer.source.node->is("Add")) {
        return {};
    }
    for (const std::size_t i : {0, 1}) {
        const Output x = outer.source.node->input(i);
        const Scaled cube = scaled(outer.source.node->input(1 - i));
        if (cube.source.node->is("Power") && same(cube.factor, 0.044715) &&
            cube.source.node->input(0) == x &&
            constant_number(cube.source.node->input(1)) == std::optional<double>(3)) {
            return x;
        }
    }
    return {};
}

// An activation of factor_in * x, times factor_out.
struct Found {
    std::string type;
    int opset = 1;
    double factor_in = 1;
    double factor_out = 1;
    double beta = 1;  // of Swish
    GeluApproximation approximation = GeluApproximation::kErf;
};

// What x times `part` is.
std::optional<Found> gate(const Output& x, const Output& part) {
    if (const Output source = source_of(part, "Sigmoid")) {
        if (source == x) {
            return Found{"Swish", 4};
        }
        const Scaled inner = scaled(source);
        return inner.source == x ? std::optional(Found{"Swish", 4, 1, 1, inner.factor})
                                 : std::nullopt;
    }
    if (const Output source = source_of(part, "Tanh"); source && softplus_source(source) == x) {
        return Found{"Mish", 4};
    }
    if (shifted_clamp(part) == x) {
        return Found{"HSwish", 4, 1, 6};
    }
    if (source_of(part, "HSigmoid") == x || hard_sigmoid_source(part) == x) {
        return Found{"HSwish", 4};
    }
    const Output curve = without_summand(part, 1);
    if (!curve) {
        return std::nullopt;
    }
    if (const Output source = source_of(curve, "Erf")) {
        const Scaled inner = scaled(source);
        const double s = inner.factor * std::numbers::sqrt2;
        if (inner.source != x || s == 0) {
            return std::nullopt;
        }
        return same(s, 1) ? Found{"Gelu", 7, 1, 2} : Found{"Gelu", 7, s, 2 / s};
    }
    const Output source = source_of(curve, "Tanh");
    if (source && cubic_source(source) == x) {
        return Found{"Gelu", 7, 1, 2, 1, GeluApproximation::kTanh};
    }
    return std::nullopt;
}

struct Match {
    Output x;
    Found found;
};

std::optional<Match> match(const Product& product) {
    if (product.parts.size() == 1) {
        const Output x = shifted_clamp(product.parts[0]);
        if (x && same(product.factor, 1.0 / 6)) {
            return Match{x, {"HSigmoid", 5, 1, 6}};
        }
        return std::nullopt;
    }
    for (const std::size_t i : {0, 1}) {
        if (const auto found = gate(product.parts[i], product.parts[1 - i])) {
            return Match{product.parts[i], *found};
        }
    }
    return std::nullopt;
}

Output times(const Output& x, double factor, Node& last, const std::string& name) {
    if (same(factor, 1)) {
        return x;
    }
    Model& model = last.model();
    const Output number =
        make_constant(model, name + "/factor", Tensor::scalar(static_cast<float>(factor)));
    Node* product = model.add("Multiply", 1, name, {x, number}, BinaryAttrs{});
    product->origins = origins_of(last);
    return product->output();
}

std::unique_ptr<Attributes> attributes_of(const Found& found) {
    if (found.type != "Gelu") {
        return nullptr;
    }
    auto attrs = std::make_unique<GeluAttrs>();
    attrs->approximation_mode = found.approximation;
    return attrs;
}

// Everything between x and the last product; x itself and constants stay out.
std::unordered_set<const Node*> nodes_between(const Output& x, const Node& last) {
    std::unordered_set<const Node*> seen;
    std::vector<const Node*> todo = {&last};
    while (!todo.empty()) {
        const Node* node = todo.back();
        todo.pop_back();
        if (node == x.node || node->is_constant() || !seen.insert(node).second) {
            continue;
        }
        for (const Output& source : node->inputs()) {
            if (!is_constant_expression(source)) {
                todo.push_back(source.node);
            }
        }
    }
    return seen;
}

void replace(Node& last, const Match& match, double factor) {
    const Found& found = match.found;
    Model& model = last.model();
    std::vector<Output> inputs = {times(match.x, found.factor_in, last, last.name() + "/scaled")};
    if (found.type == "Swish" && !same(found.beta, 1)) {
        inputs.push_back(make_constant(model, last.name() + "/beta",
                                       Tensor::scalar(static_cast<float>(found.beta))));
    }
    Node* activation =
        model.add(found.type, found.opset, last.name(), std::move(inputs), attributes_of(found));
    activation->origins = origins_of(last);
    for (const Node* node : nodes_between(match.x, last)) {
        if (node != &last) {
            add_origins(*activation, *node);
        }
    }
    redirect(last.output(),
             times(activation->output(), factor * found.factor_out, last, last.name() + "/times"));
}

bool fuse(Node& last) {
    if (last.port().type != ElementType::f32) {
        return false;
    }
    const auto product = product_of(last);
    const auto found = product ? match(*product) : std::nullopt;
    // No constant may enlarge the shape, and its rank must be known to tell.
    if (!found || !last.port().shape.rank_is_static() ||
        last.port().shape != found->x.partial_shape()) {
        return false;
    }
    replace(last, *found, product->factor);
    return true;
}

}  // namespace

bool fuse_activation(Model& model, PassContext& context) {
    bool changed = false;
    // From the end: the whole of a product before its parts.
    std::vector<Node*> nodes = model.ordered_nodes();
    for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
        Node& node = **it;
        if (is_one_of(node, {"Multiply", "Divide"}) && !node.port().uses.empty() && fuse(node)) {
            context.rewritten(kName, node);
            changed = true;
        }
    }
    return changed;
}

}  // namespace fuseq
