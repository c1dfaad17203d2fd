// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/rewrite.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {

bool has_single_use(const Output& port) {
    return port.node->port(port.index).uses.size() == 1;
}

std::vector<const Node*> chain_to(const Node& last, std::initializer_list<std::string_view> types) {
    std::vector<const Node*> nodes{&last};
    for (const std::string_view type : types) {
        const Node* before = nodes.back()->input_node(0);
        if (!before->is(type) || !has_single_use(nodes.back()->input(0))) {
            return {};
        }
        nodes.push_back(before);
    }
    std::reverse(nodes.begin(), nodes.end());
    return nodes;
}

void redirect(const Output& from, const Output& to, std::initializer_list<const Node*> except) {
    const std::vector<Use> uses = from.node->port(from.index).uses;
    for (const Use& use : uses) {
        if (std::find(except.begin(), except.end(), use.node) == except.end()) {
            use.node->set_input(use.index, to);
        }
    }
    auto& names = from.node->port(from.index).names;
    to.node->port(to.index).names.merge(names);
    names.clear();
}

void move_uses(const std::vector<Use>& uses, const Output& from, const Output& to) {
    for (const Use& use : uses) {
        use.node->set_input(use.index, to);
    }
    auto& names = from.node->port(from.index).names;
    to.node->port(to.index).names.merge(names);
    names.clear();
}

std::vector<std::string> origins_of(const Node& node) {
    return node.origins.empty() ? std::vector<std::string>{node.name()} : node.origins;
}

void add_origin(Node& node, const std::string& layer) {
    node.origins = origins_of(node);
    if (std::find(node.origins.begin(), node.origins.end(), layer) == node.origins.end()) {
        node.origins.push_back(layer);
    }
}

void add_origins(Node& node, const Node& other) {
    for (const std::string& name : origins_of(other)) {
        add_origin(node, name);
    }
}

Node* copy_node(const Node& node, std::string name, std::vector<Output> inputs) {
    Node* copy = node.model().add_unchecked(node.spec(), std::move(name), std::move(inputs),
                                            node.attributes().clone());
    copy->set_output_count(node.output_count());
    copy->rt_info = node.rt_info;
    copy->origins = origins_of(node);
    copy->infer();
    return copy;
}

std::string describe(const Node& node) {
    return fmt::format("{} '{}'", node.type(), node.name());
}

bool is_one_of(const Node& node, std::initializer_list<std::string_view> types) {
    return std::any_of(types.begin(), types.end(),
                       [&](std::string_view type) { return node.is(type); });
}

bool takes_weights(const Node& node) {
    return is_one_of(node, {"Convolution", "GroupConvolution", "ConvolutionBackpropData",
                            "GroupConvolutionBackpropData", "MatMul"});
}

}  // namespace fuseq
