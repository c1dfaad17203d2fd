// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes one operation of an activation that is spelled as a product.
//
//   Law:     x * sigmoid(b x) = Swish(x, b);  x * tanh(softplus(x)) = Mish(x);
//            x * clamp(c / 6 * x + c / 2, 0, c) = c HSwish(x);  clamp(x + 3, 0, 6) / 6 =
//            HSigmoid(x); x * (1 + erf(a x)) = 2 / s * Gelu(s x), s = a * sqrt(2); x * (1 + tanh(a
//            x + a b x^3)) = 2 Gelu_tanh(x) for the a and b of Gelu. As f16 has them, they mean the
//            same; that moves a result by less than 2e-5. A constant number among the factors stays
//            a Multiply after.
//   Before:  Multiply or Divide of x, what x became, and constant numbers, in any order. Clamp may
//            be a HardSigmoid, or a Minimum with a ReLU or a Maximum; 1 + erf may be multiplied
//            by a number; the cubic may be any formula of sums, products and powers.
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
#include "transformations/support/polynomial.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace fuse_activation_pass {
namespace {

constexpr std::string_view kName = "fuse_activation";
// Factors of a product that are no constants, and operations that are looked at in all.
constexpr std::size_t kMaxFactors = 2;
constexpr std::size_t kMaxNodes = 12;
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
        if (product.nodes.size() > kMaxNodes) {
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
    if (product.parts.empty() || product.parts.size() > kMaxFactors) {
        return std::nullopt;
    }
    return product;
}

// The source of an operation that one other reads.
Output source_of(const Output& output, std::string_view type) {
    return output && output.node->is(type) && has_single_use(output) ? output.node->input(0)
                                                                     : Output{};
}

// clamp(source, 0, high).
struct Clamped {
    Output source;
    double high = 0;
};

// The operand of a Minimum or Maximum that is not a number, and the number.
std::optional<std::pair<Output, double>> limited(const Output& output, std::string_view type) {
    if (!source_of(output, type)) {
        return std::nullopt;
    }
    const auto number = number_operand(*output.node);
    return number ? std::optional(std::pair{output.node->input(1 - number->first), number->second})
                  : std::nullopt;
}

// Also as min(relu(y), high) or max(min(y, high), 0), in any order.
std::optional<Clamped> clamp_of(const Output& output) {
    if (const Output source = source_of(output, "Clamp")) {
        const auto& attrs = output.node->attrs<ClampAttrs>();
        return attrs.min == 0.0f ? std::optional(Clamped{source, double{attrs.max}}) : std::nullopt;
    }
    const auto above_zero = [](const Output& y) {
        const auto limit = limited(y, "Maximum");
        return limit && limit->second == 0 ? limit->first : source_of(y, "ReLU");
    };
    if (const auto outer = limited(output, "Minimum")) {
        const Output source = above_zero(outer->first);
        return source ? std::optional(Clamped{source, outer->second}) : std::nullopt;
    }
    const Output inner = above_zero(output);
    const auto limit = inner ? limited(inner, "Minimum") : std::nullopt;
    return limit ? std::optional(Clamped{limit->first, limit->second}) : std::nullopt;
}

// The factor c of c * HSigmoid(x): clamp(c / 6 * x + c / 2, 0, c).
std::optional<double> hard_sigmoid_factor(const Output& x, const Output& output) {
    double high = 0;
    Affine inner;
    if (const auto clamp = clamp_of(output)) {
        high = clamp->high;
        inner = affine_of(clamp->source, x);
    } else if (const Output source = source_of(output, "HardSigmoid")) {
        const auto alpha = constant_number(output.node->input(1));
        const auto beta = constant_number(output.node->input(2));
        if (!alpha || !beta) {
            return std::nullopt;
        }
        high = 1;
        inner = affine_of(source, x);
        inner.factor *= *alpha;
        inner.shift = inner.shift * *alpha + *beta;
    }
    const bool fits = high > 0 && inner.source == x && same(inner.factor, high / 6) &&
                      same(inner.shift, high / 2);
    return fits ? std::optional(high) : std::nullopt;
}

// log(1 + exp(x)), or SoftPlus(x).
Output softplus_source(const Output& output) {
    if (const Output source = source_of(output, "SoftPlus")) {
        return source;
    }
    const Output sum = source_of(output, "Log");
    const Affine inner = sum ? affine_of(sum) : Affine{};
    return same(inner.factor, 1) && same(inner.shift, 1) ? source_of(inner.source, "Exp")
                                                         : Output{};
}

// The number as it is, or as f16 has it: models are stored in f16, whose formulas mean the same.
bool same_or_half(double stored, double number) {
    const Float16 half(static_cast<float>(number));
    return same(stored, number) || same(stored, static_cast<double>(static_cast<float>(half)));
}

// a * (x + b * x^3), for the a and b of Gelu.
bool is_cubic_of_gelu(const Output& x, const Output& output) {
    const auto p = polynomial_in(x, output);
    return p && (*p)[0] == 0 && (*p)[2] == 0 && (*p)[1] != 0 &&
           same_or_half((*p)[1], std::sqrt(2 / std::numbers::pi)) &&
           same_or_half((*p)[3] / (*p)[1], 0.044715);
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

// c * (1 + erf(s x / sqrt(2))) or c * (1 + tanh(...)).
std::optional<Found> gelu_gate(const Output& x, const Affine& part) {
    if (!same(part.factor, part.shift) || part.factor == 0) {
        return std::nullopt;
    }
    if (const Output source = source_of(part.source, "Erf")) {
        const Affine inner = affine_of(source, x);
        const double s = inner.factor * std::numbers::sqrt2;
        if (inner.source != x || inner.shift != 0 || s == 0) {
            return std::nullopt;
        }
        return same(s, 1) ? Found{"Gelu", 7, 1, 2 * part.factor}
                          : Found{"Gelu", 7, s, 2 * part.factor / s};
    }
    const Output source = source_of(part.source, "Tanh");
    return source && is_cubic_of_gelu(x, source)
               ? std::optional(Found{"Gelu", 7, 1, 2 * part.factor, 1, GeluApproximation::kTanh})
               : std::nullopt;
}

// What x times `part` is.
std::optional<Found> gate(const Output& x, const Output& part) {
    if (const Output source = source_of(part, "Sigmoid")) {
        const Affine inner = affine_of(source, x);
        return inner.source == x && inner.shift == 0
                   ? std::optional(Found{"Swish", 4, 1, 1, inner.factor})
                   : std::nullopt;
    }
    if (const Output source = source_of(part, "Tanh"); source && softplus_source(source) == x) {
        return Found{"Mish", 4};
    }
    if (const auto factor = hard_sigmoid_factor(x, part)) {
        return Found{"HSwish", 4, 1, *factor};
    }
    if (source_of(part, "HSigmoid") == x) {
        return Found{"HSwish", 4};
    }
    return gelu_gate(x, affine_of(part));
}

struct Match {
    Output x;
    Found found;
};

// The number that is added, or the two that are multiplied and added, may be part of x itself.
std::optional<Match> match_hsigmoid(const Product& product) {
    const auto clamp = clamp_of(product.parts[0]);
    Output x = clamp ? clamp->source : Output{};
    for (int steps = 0; x && steps < 2; ++steps) {
        const bool arithmetic = is_one_of(*x.node, {"Add", "Subtract", "Multiply", "Divide"});
        const auto number = arithmetic ? number_operand(*x.node) : std::nullopt;
        x = number ? x.node->input(1 - number->first) : Output{};
        const auto factor = x ? hard_sigmoid_factor(x, product.parts[0]) : std::nullopt;
        if (factor && same(product.factor * *factor, 1)) {
            return Match{x, {"HSigmoid", 5, 1, *factor}};
        }
    }
    return std::nullopt;
}

std::optional<Match> match(const Product& product) {
    if (product.parts.size() == 1) {
        return match_hsigmoid(product);
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

bool run(Model& model, PassContext& context) {
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

}  // namespace
}  // namespace fuse_activation_pass

bool fuse_activation(Model& model, PassContext& context) {
    return fuse_activation_pass::run(model, context);
}

}  // namespace fuseq
