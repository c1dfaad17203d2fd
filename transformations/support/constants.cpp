// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/constants.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "ops/kernel_states.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {
namespace {

// Constant expressions of limits and scales are short: Const -> Convert -> Reshape -> Multiply.
constexpr std::size_t kMaxNodes = 32;

// Nodes of the expression, producers first; empty when it is not constant or too long.
std::vector<const Node*> expression(const Node* root) {
    struct Met {
        const Node* node;
        bool done;  // false: entered, true: in `order`
    };
    std::vector<const Node*> order;
    std::vector<const Node*> stack{root};
    std::vector<Met> met;  // few, and passes ask of every node: quicker than a table
    met.reserve(kMaxNodes + 1);
    const auto find = [&](const Node* node) {
        return std::find_if(met.begin(), met.end(), [&](const Met& m) { return m.node == node; });
    };
    while (!stack.empty()) {
        const Node* node = stack.back();
        const auto it = find(node);
        if (it != met.end()) {
            stack.pop_back();
            if (!it->done) {
                it->done = true;
                order.push_back(node);
            }
            continue;
        }
        met.push_back({node, false});
        if (met.size() > kMaxNodes || node->spec().evaluate == nullptr ||
            (node->input_count() == 0 && !node->is_constant()) || is_random(*node)) {
            return {};
        }
        for (const Output& input : node->inputs()) {
            if (input && find(input.node) == met.end()) {
                stack.push_back(input.node);
            }
        }
    }
    return order;
}

}  // namespace

const Tensor* known_constant(const Output& source) {
    if (!source) {
        return nullptr;
    }
    if (source.node->is_constant()) {
        return &source.node->constant();
    }
    const Tensor& known = source.node->port(source.index).known_value;
    return known ? &known : nullptr;
}

bool is_constant_expression(const Output& source) {
    return known_constant(source) != nullptr || (source && !expression(source.node).empty());
}

bool inputs_are_constant(const Node& node, std::size_t first) {
    for (std::size_t i = first; i < node.input_count(); ++i) {
        if (!is_constant_expression(node.input(i))) {
            return false;
        }
    }
    return true;
}

std::optional<Tensor> evaluate_constant(const Output& source) {
    if (const Tensor* known = known_constant(source)) {
        return *known;
    }
    if (!source) {
        return std::nullopt;
    }
    std::unordered_map<const Node*, std::vector<Tensor>> values;
    for (const Node* node : expression(source.node)) {
        if (node->is_constant()) {
            values[node] = {node->constant()};
            continue;
        }
        std::vector<Tensor> inputs;
        for (const Output& input : node->inputs()) {
            inputs.push_back(input ? values.at(input.node).at(input.index) : Tensor());
        }
        values[node] = evaluate_node(*node, inputs);
    }
    const auto found = values.find(source.node);
    return found == values.end() ? std::nullopt
                                 : std::optional<Tensor>(found->second.at(source.index));
}

std::optional<ChannelValues> constant_channels(const Output& source, std::size_t rank) {
    const std::optional<Tensor> value = evaluate_constant(source);
    return value ? channel_values(*value, rank) : std::nullopt;
}

std::optional<double> constant_number(const Output& source) {
    // Weights, say, that would have to be computed first.
    if (source && source.partial_shape().is_static() && shape_size(source.shape()) != 1) {
        return std::nullopt;
    }
    const std::optional<Tensor> value = evaluate_constant(source);
    if (!value || value->get_size() != 1) {
        return std::nullopt;
    }
    const double number = is_integral(value->get_element_type())
                              ? static_cast<double>(to_ints(*value)[0])
                              : static_cast<double>(to_floats(*value)[0]);
    return std::isfinite(number) ? std::optional<double>(number) : std::nullopt;
}

Output make_constant(Model& model, const std::string& base_name, Tensor value) {
    return model.add_constant(base_name, std::move(value))->output();
}

}  // namespace fuseq
