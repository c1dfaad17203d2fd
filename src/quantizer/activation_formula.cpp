// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/activation_formula.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

// Operations of a formula that are looked at: those of Gelu by tanh are nine.
constexpr std::size_t kMaxNodes = 16;

constexpr std::string_view kElementwise[] = {
    "Abs",      "Add",  "Clamp",   "Divide",   "Elu",         "Erf",     "Exp",
    "HSigmoid", "Gelu", "HSwish",  "Log",      "HardSigmoid", "Maximum", "Minimum",
    "Mish",     "ReLU", "Power",   "Multiply", "Negative",    "PReLU",   "Selu",
    "SoftPlus", "Sqrt", "Sigmoid", "SoftSign", "Subtract",    "Swish",   "Tanh",
};

constexpr std::string_view kReductions[] = {
    "ReduceL1",  "ReduceL2",   "ReduceLogSum", "ReduceLogSumExp", "ReduceMax",
    "ReduceMin", "ReduceMean", "ReduceSum",    "ReduceSumSquare",
};

bool is_reduction(const Node& node) {
    return std::find(std::begin(kReductions), std::end(kReductions), node.type()) !=
           std::end(kReductions);
}

bool is_elementwise(const Node& node) {
    return std::find(std::begin(kElementwise), std::end(kElementwise), node.type()) !=
           std::end(kElementwise);
}

// Tensors that the node is computed from, element by element.
std::vector<Output> sources_of(const Node& node) {
    std::vector<Output> found;
    std::vector<const Node*> left{&node};
    while (!left.empty() && found.size() < kMaxNodes) {
        const Node* next = left.back();
        left.pop_back();
        for (const Output& input : next->inputs()) {
            if (is_constant_expression(input) ||
                std::find(found.begin(), found.end(), input) != found.end()) {
                continue;
            }
            found.push_back(input);
            if (is_elementwise(*input.node) || is_reduction(*input.node)) {
                left.push_back(input.node);
            }
        }
    }
    return found;
}

// A sum, or a product with constants.
bool is_linear(const Node& node) {
    const bool scales = is_one_of(node, {"Divide", "Multiply"}) &&
                        (is_constant_expression(node.input(1)) ||
                         (node.is("Multiply") && is_constant_expression(node.input(0))));
    return scales || is_one_of(node, {"Add", "Negative", "Subtract"});
}

class Formula {
public:
    explicit Formula(const Output& source) : source_(source) {}

    // Whether nothing but the source and constants goes into the node; looks at kMaxNodes at most.
    bool holds(const Node& node) {
        const bool reduces = is_reduction(node);
        if ((!is_elementwise(node) && !reduces) || ++nodes_ > kMaxNodes) {
            return false;
        }
        reduces_ = reduces_ || reduces;
        linear_ = linear_ && is_linear(node);
        return std::all_of(node.inputs().begin(), node.inputs().end(), [&](const Output& input) {
            return input == source_ || is_constant_expression(input) || holds(*input.node);
        });
    }
    bool bends() const { return !linear_; }
    bool reduces() const { return reduces_; }

private:
    Output source_;
    std::size_t nodes_ = 0;
    bool linear_ = true;
    bool reduces_ = false;
};

// Whether the node is a formula of one tensor of its own shape that is wanted.
template <class Wanted>
bool is_formula(const Node& node, const Wanted& wanted) {
    if (!is_elementwise(node) || node.input_count() != 2) {
        return false;
    }
    const std::vector<Output> sources = sources_of(node);
    return std::any_of(sources.begin(), sources.end(), [&](const Output& source) {
        Formula formula(source);
        return source.partial_shape() == node.port().shape && formula.holds(node) &&
               wanted(formula);
    });
}

}  // namespace

bool is_activation_formula(const Node& node) {
    return is_formula(node,
                      [](const Formula& formula) { return !formula.reduces() && formula.bends(); });
}

bool is_normalization_formula(const Node& node) {
    return is_formula(node, [](const Formula& formula) { return formula.reduces(); });
}

}  // namespace fuseq::quantizer
