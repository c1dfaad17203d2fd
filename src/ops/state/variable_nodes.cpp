// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/state/variable_nodes.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "model/binary_attributes.hpp"
#include "ops/op_spec.hpp"
#include "ops/state/state.hpp"

namespace fuseq {
namespace {

bool uses_variable(const Node& node) {
    return node.is("ReadValue") || node.is("Assign");
}

[[noreturn]] void fail(const Node& node, std::string rule) {
    throw Error(Error::Info{.stage = "validate",
                            .file = {},
                            .layer_id = node.layer_id,
                            .layer = node.name(),
                            .op = node.type(),
                            .rule = std::move(rule)});
}

void refuse_in_bodies(const Model& model) {
    std::vector<const Model*> bodies;
    const auto add_bodies = [&](const Node& node) {
        const std::vector<const Model*> more = bodies_of(node.attributes());
        bodies.insert(bodies.end(), more.begin(), more.end());
    };
    for (const Node* node : model.ordered_nodes()) {
        add_bodies(*node);
    }
    while (!bodies.empty()) {
        const Model& body = *bodies.back();
        bodies.pop_back();
        for (const Node* node : body.ordered_nodes()) {
            if (uses_variable(*node)) {
                fail(*node,
                     fmt::format("stands in body '{}': variables in bodies are not supported, as a "
                                 "body may run any number of times in an inference; pass the value "
                                 "through the body and keep it outside",
                                 body.name()));
            }
            add_bodies(*node);
        }
    }
}

// The only one of its variable.
void set_only(Node*& slot, Node* node, const std::string& name) {
    if (slot != nullptr) {
        fail(*node, fmt::format("variable '{}' has a {} already, '{}'; each variable has one "
                                "ReadValue and one Assign",
                                name, node->type(), slot->name()));
    }
    slot = node;
}

void check_pair(const VariableNodes& nodes) {
    const Variable& variable = nodes.variable;
    if (nodes.read == nullptr || nodes.assign == nullptr) {
        const bool reads = nodes.read != nullptr;
        fail(reads ? *nodes.read : *nodes.assign,
             fmt::format("variable '{}' has no {}; each variable has one ReadValue and one Assign",
                         variable.name, reads ? "Assign" : "ReadValue"));
    }
    const OutputPort& assigned = nodes.assign->port(0);
    if (assigned.type != variable.type) {
        fail(*nodes.assign,
             fmt::format("variable '{}' is {} in ReadValue '{}', the value is {}", variable.name,
                         to_string(variable.type), nodes.read->name(), to_string(assigned.type)));
    }
    if (!assigned.shape.compatible(variable.shape)) {
        fail(*nodes.assign,
             fmt::format("variable '{}' has shape {} in ReadValue '{}', the value has shape {}",
                         variable.name, to_string(variable.shape), nodes.read->name(),
                         to_string(assigned.shape)));
    }
    if (nodes.read->spec().version != nodes.assign->spec().version) {
        fail(*nodes.assign,
             fmt::format("variable '{}' has a ReadValue of opset{} and an Assign of opset{}",
                         variable.name, nodes.read->spec().version, nodes.assign->spec().version));
    }
}

}  // namespace

std::vector<VariableNodes> variable_nodes(const Model& model) {
    refuse_in_bodies(model);
    std::map<std::string, VariableNodes> found;
    for (Node* node : model.ordered_nodes()) {
        if (!uses_variable(*node)) {
            continue;
        }
        const std::string& name = node->attrs<VariableAttrs>().variable_id;
        VariableNodes& nodes = found[name];
        set_only(node->is("Assign") ? nodes.assign : nodes.read, node, name);
    }
    std::vector<VariableNodes> list;
    for (auto& [name, nodes] : found) {
        nodes.variable.name = name;
        if (nodes.read != nullptr) {
            nodes.variable.type = nodes.read->port(0).type;
            nodes.variable.shape = nodes.read->port(0).shape;
            nodes.variable.has_initial = nodes.read->has_input(0);
        }
        check_pair(nodes);
        list.push_back(std::move(nodes));
    }
    return list;
}

std::vector<Variable> variables_of(const Model& model) {
    std::vector<Variable> variables;
    for (VariableNodes& nodes : variable_nodes(model)) {
        variables.push_back(std::move(nodes.variable));
    }
    return variables;
}

bool may_grow(const std::vector<Variable>& variables) {
    return std::any_of(variables.begin(), variables.end(),
                       [](const Variable& v) { return v.shape.is_dynamic(); });
}

}  // namespace fuseq
