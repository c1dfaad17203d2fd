// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/state/separate_state.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ops/state/variable_nodes.hpp"

namespace fuseq {
namespace {

void replace_read(Model& model, const VariableNodes& nodes) {
    Node* parameter =
        model.add_parameter(nodes.read->name(), nodes.variable.type, nodes.variable.shape);
    parameter->layer_id = nodes.read->layer_id;
    model.replace(nodes.read->output(), parameter->output());
    model.remove(nodes.read);
}

// A layer that reads the result of an Assign reads what it assigns.
void bypass(Model& model, Node& assign) {
    model.replace(assign.output(), assign.input(0));
}

void replace_assign(Model& model, Node& assign) {
    bypass(model, assign);
    Node* result = model.add_result(assign.name(), assign.input(0));
    result->layer_id = assign.layer_id;
    model.remove(&assign);
}

// How many initial values have to be computed one after the other for this variable's; 0: it has
// none.
class Levels {
public:
    explicit Levels(const std::vector<VariableNodes>& nodes) {
        for (const VariableNodes& n : nodes) {
            reads_.insert(n.read);
        }
        // Producers first: what an initial value depends on has its level by then.
        for (const Node* node : nodes.front().read->model().ordered_nodes()) {
            if (reads_.contains(node) && node->has_input(0)) {
                levels_[node] = 1 + highest_before(*node);
            }
        }
    }
    std::size_t of(const Node* read) const {
        const auto found = levels_.find(read);
        return found == levels_.end() ? 0 : found->second;
    }

private:
    std::size_t highest_before(const Node& read) const {
        std::size_t highest = 0;
        std::vector<const Node*> stack{read.input_node(0)};
        std::unordered_set<const Node*> seen(stack.begin(), stack.end());
        while (!stack.empty()) {
            const Node* node = stack.back();
            stack.pop_back();
            if (reads_.contains(node)) {
                highest = std::max(highest, of(node));
                continue;
            }
            for (const Output& input : node->inputs()) {
                if (input && seen.insert(input.node).second) {
                    stack.push_back(input.node);
                }
            }
        }
        return highest;
    }

    std::unordered_set<const Node*> reads_;
    std::unordered_map<const Node*, std::size_t> levels_;
};

std::shared_ptr<Model> model_of_level(const Model& model, const std::vector<std::size_t>& wanted) {
    std::shared_ptr<Model> copy = model.clone();
    const std::vector<VariableNodes> nodes = variable_nodes(*copy);
    const std::vector<Node*> results = copy->results();
    for (const std::size_t i : wanted) {
        copy->add_result(nodes[i].variable.name, nodes[i].read->input(0));
    }
    for (Node* result : results) {
        copy->remove(result);
    }
    for (const VariableNodes& n : nodes) {
        bypass(*copy, *n.assign);
        copy->remove(n.assign);
    }
    for (const VariableNodes& n : nodes) {
        replace_read(*copy, n);
    }
    copy->remove_dead_nodes();
    return copy;
}

}  // namespace

void separate_state(Model& model) {
    const std::vector<VariableNodes> nodes = variable_nodes(model);
    if (nodes.empty()) {
        return;
    }
    for (const VariableNodes& n : nodes) {
        replace_assign(model, *n.assign);
    }
    for (const VariableNodes& n : nodes) {
        replace_read(model, n);
    }
    model.remove_dead_nodes();
}

std::vector<InitialValues> initial_values(const Model& model) {
    const std::vector<VariableNodes> nodes = variable_nodes(model);
    std::vector<InitialValues> values;
    if (nodes.empty()) {
        return values;
    }
    const Levels levels(nodes);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::size_t level = levels.of(nodes[i].read);
        if (level != 0) {
            values.resize(std::max(values.size(), level));
            values[level - 1].variables.push_back(i);
        }
    }
    for (InitialValues& level : values) {
        level.model = model_of_level(model, level.variables);
    }
    return values;
}

}  // namespace fuseq
