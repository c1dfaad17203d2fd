// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/model.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_set>

#include <fmt/core.h>

#include "ops/constant.hpp"
#include "ops/op_spec.hpp"
#include "ops/parameter.hpp"
#include "ops/state/state.hpp"

namespace fuseq {

namespace {

// Whether all that the node reads was added before it.
bool reads_older(const Node& node) {
    return std::all_of(node.inputs().begin(), node.inputs().end(),
                       [&](const Output& input) { return !input || input.node->id() < node.id(); });
}

}  // namespace

Model::Model(std::string name) : name_(std::move(name)) {}
Model::~Model() = default;

Node* Model::add_unchecked(const OpSpec& spec,
                           std::string name,
                           std::vector<Output> inputs,
                           std::unique_ptr<Attributes> attributes) {
    if (!attributes) {
        attributes = spec.make_attributes();
    }
    if (name.empty()) {
        name = unique_name(std::string(spec.type));
    }
    nodes_.push_back(std::unique_ptr<Node>(
        new Node(*this, spec, next_id_++, std::move(name), std::move(attributes))));
    Node* node = nodes_.back().get();
    node->inputs_ = std::move(inputs);
    for (std::size_t i = 0; i < node->inputs_.size(); ++i) {
        if (const Output& input = node->inputs_[i]) {
            input.node->port(input.index).uses.push_back({node, i});
        }
    }
    if (node->is("Parameter")) {
        parameters_.push_back(node);
    } else if (node->is("Result")) {
        results_.push_back(node);
    }
    return node;
}

Node* Model::add(std::string_view type,
                 int opset,
                 std::string name,
                 std::vector<Output> inputs,
                 std::unique_ptr<Attributes> attributes) {
    const OpSpec* spec = find_op(type, opset);
    if (spec == nullptr) {
        throw Error("model", fmt::format("operation {} of opset{} is not known", type, opset));
    }
    Node* node = add_unchecked(*spec, std::move(name), std::move(inputs), std::move(attributes));
    try {
        node->infer();
    } catch (...) {
        remove(node);
        throw;
    }
    return node;
}

Node* Model::add_parameter(std::string name, ElementType type, const PartialShape& shape) {
    ParameterAttrs attributes;
    attributes.element_type = type;
    attributes.shape = shape;
    return add("Parameter", 1, std::move(name), {}, std::move(attributes));
}

Node* Model::add_constant(std::string name, Tensor value) {
    ConstAttrs attributes;
    attributes.value = std::move(value);
    return add("Const", 1, std::move(name), {}, std::move(attributes));
}

Node* Model::add_result(std::string name, Output source) {
    return add("Result", 1, std::move(name), {source});
}

std::vector<Node*> Model::ordered_nodes() const {
    std::vector<Node*> order;
    order.reserve(nodes_.size());
    if (std::all_of(nodes_.begin(), nodes_.end(), [](const auto& n) { return reads_older(*n); })) {
        // As below, without looking for it: of a model that was read or cloned.
        for (const auto& node : nodes_) {
            order.push_back(node.get());
        }
        return order;
    }
    // Kahn's algorithm; among the nodes that are ready, the one added first goes first. Most nodes
    // read older ones: they are met ready in the order of their ids. The queue is for the others.
    std::vector<std::size_t> missing(next_id_, 0);  // by id: inputs that are not computed yet
    std::vector<Node*> by_id(next_id_, nullptr);
    for (const auto& node : nodes_) {
        by_id[node->id()] = node.get();
        missing[node->id()] = static_cast<std::size_t>(std::count_if(
            node->inputs().begin(), node->inputs().end(), [](const Output& o) { return bool(o); }));
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> late;
    for (std::size_t id = 0; id < next_id_; ++id) {
        if (by_id[id] == nullptr || missing[id] != 0) {
            continue;
        }
        late.push(id);
        while (!late.empty()) {
            Node* node = by_id[late.top()];
            late.pop();
            order.push_back(node);
            for (std::size_t i = 0; i < node->output_count(); ++i) {
                for (const Use& use : node->port(i).uses) {
                    const std::size_t reader = use.node->id();
                    if (--missing[reader] == 0 && reader < id) {
                        late.push(reader);
                    }
                }
            }
        }
    }
    if (order.size() != nodes_.size()) {
        const Node* first = nullptr;
        for (const auto& node : nodes_) {
            const bool left = missing[node->id()] != 0;
            first = left && (first == nullptr || node->id() < first->id()) ? node.get() : first;
        }
        throw Error(Error::Info{.stage = "validate",
                                .file = {},
                                .layer_id = {},
                                .layer = first->name(),
                                .op = first->type(),
                                .rule = "depends on its own output"});
    }
    return order;
}

Node* Model::find(std::string_view name) const {
    for (const auto& node : nodes_) {
        if (node->name() == name) {
            return node.get();
        }
    }
    return nullptr;
}

std::vector<Node*> Model::find_all(std::string_view type) const {
    std::vector<Node*> found;
    for (const auto& node : nodes_) {
        if (node->is(type)) {
            found.push_back(node.get());
        }
    }
    if (found.size() < 2) {
        return found;  // without the order of all others: passes look for much that is not there
    }
    found.clear();
    for (Node* node : ordered_nodes()) {
        if (node->is(type)) {
            found.push_back(node);
        }
    }
    return found;
}

void Model::replace(Output from, Output to) {
    const std::vector<Use> uses = from.node->port(from.index).uses;
    for (const Use& use : uses) {
        use.node->set_input(use.index, to);
    }
    OutputPort& source = from.node->port(from.index);
    to.node->port(to.index).names.merge(source.names);
    source.names.clear();
}

void Model::remove(Node* node) {
    if (!node->users().empty()) {
        throw Error("model", fmt::format("layer '{}' is still read", node->name()));
    }
    node->detach_inputs();
    std::erase(parameters_, node);
    std::erase(results_, node);
    std::erase_if(nodes_, [&](const auto& owned) { return owned.get() == node; });
}

std::size_t Model::remove_dead_nodes() {
    std::vector<bool> live(next_id_, false);  // by id
    for (const Node* parameter : parameters_) {
        live[parameter->id()] = true;
    }
    std::vector<const Node*> stack;
    for (const auto& node : nodes_) {
        if (node->is("Result") || is_sink(*node)) {
            live[node->id()] = true;
            stack.push_back(node.get());
        }
    }
    while (!stack.empty()) {
        const Node* node = stack.back();
        stack.pop_back();
        for (const Output& input : node->inputs()) {
            if (input && !live[input.node->id()]) {
                live[input.node->id()] = true;
                stack.push_back(input.node);
            }
        }
    }
    const std::size_t before = nodes_.size();
    if (std::all_of(nodes_.begin(), nodes_.end(), [&](const auto& n) { return live[n->id()]; })) {
        return 0;
    }
    for (const auto& node : nodes_) {
        if (!live[node->id()]) {
            node->detach_inputs();
        }
    }
    std::erase_if(nodes_, [&](const auto& node) { return !live[node->id()]; });
    return before - nodes_.size();
}

void Model::validate() {
    for (Node* node : ordered_nodes()) {
        node->infer();
    }
}

std::shared_ptr<Model> Model::clone() const {
    auto copy = std::make_shared<Model>(name_);
    copy->nodes_.reserve(nodes_.size());
    std::vector<Node*> twins(next_id_, nullptr);  // by id
    const auto twin_of = [&](const Node* node) { return twins[node->id()]; };
    for (Node* node : ordered_nodes()) {
        std::vector<Output> inputs;
        inputs.reserve(node->inputs().size());
        for (const Output& input : node->inputs()) {
            inputs.push_back(input ? Output{twin_of(input.node), input.index} : Output{});
        }
        Node* twin = copy->add_unchecked(node->spec(), node->name(), std::move(inputs),
                                         node->attributes().clone());
        twin->set_output_count(node->output_count());
        for (std::size_t i = 0; i < node->output_count(); ++i) {
            OutputPort& to = twin->port(i);
            const OutputPort& from = node->port(i);
            to.type = from.type;
            to.shape = from.shape;
            to.uses.reserve(from.uses.size());
            if (!from.names.empty()) {
                to.names = from.names;
            }
            to.known_value = from.known_value;
            to.known_dims = from.known_dims;
        }
        twin->rt_info = node->rt_info;
        twin->layer_id = node->layer_id;
        twin->origins = node->origins;
        twins[node->id()] = twin;
    }
    // The order of inputs and outputs is that of the original, not that of the traversal.
    const auto same_order = [&](const std::vector<Node*>& from, std::vector<Node*>& to) {
        std::transform(from.begin(), from.end(), to.begin(), twin_of);
    };
    same_order(parameters_, copy->parameters_);
    same_order(results_, copy->results_);
    return copy;
}

std::string Model::unique_name(const std::string& base) const {
    if (find(base) == nullptr) {
        return base;
    }
    std::unordered_set<std::string> taken;
    for (const auto& node : nodes_) {
        taken.insert(node->name());
    }
    for (std::size_t n = 1;; ++n) {
        std::string name = base + "_" + std::to_string(n);
        if (!taken.contains(name)) {
            return name;
        }
    }
}

}  // namespace fuseq
