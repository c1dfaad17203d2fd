// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mxnet/graph_importer.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "readers/common/unique_name.hpp"

namespace fuseq::mxnet_reader {
namespace {

constexpr std::size_t kMostInserted = 100'000;

void list_unknown(const Symbol& symbol, std::map<std::string, std::string>& unknown) {
    for (const SymbolNode& node : symbol.nodes) {
        if (!node.is_variable() && find_operator(node.op) == nullptr) {
            unknown.emplace(node.op, node.name);
        }
        for (const auto& inner : node.subgraphs) {
            list_unknown(*inner, unknown);
        }
    }
}

void refuse_unknown_operators(const Symbol& symbol, const Place& place) {
    std::map<std::string, std::string> unknown;  // operator and one node
    list_unknown(symbol, unknown);
    std::string text;
    for (const auto& [type, name] : unknown) {
        text += fmt::format("{}{} ('{}')", text.empty() ? "" : ", ", type, name);
    }
    place.require(unknown.empty(), "these operators are not supported: ", text);
}

// What the heads depend on. Labels of a loss are read by nothing in an inference.
std::vector<bool> needed_nodes(const Symbol& symbol) {
    std::vector<bool> needed(symbol.nodes.size(), false);
    for (const Entry& head : symbol.heads) {
        needed[head.node] = true;
    }
    for (std::size_t i = symbol.nodes.size(); i-- > 0;) {
        const SymbolNode& node = symbol.nodes[i];
        const bool loss = node.op == "SoftmaxOutput";
        for (std::size_t k = 0; needed[i] && k < node.inputs.size() && !(loss && k > 0); ++k) {
            needed[node.inputs[k].node] = true;
        }
    }
    return needed;
}

// Images where the graph has convolutions or poolings, else rows.
PartialShape default_shape(const Symbol& symbol) {
    const bool images =
        std::any_of(symbol.nodes.begin(), symbol.nodes.end(), [](const SymbolNode& node) {
            return node.op.find("onv") != std::string::npos ||
                   node.op.find("ooling") != std::string::npos;
        });
    return PartialShape(std::vector<Dimension>(images ? 4 : 2, Dimension::dynamic()));
}

}  // namespace

std::shared_ptr<Model> GraphImporter::read_model(const Symbol& symbol, const Place& place) {
    refuse_unknown_operators(symbol, place);
    const std::vector<bool> needed = needed_nodes(symbol);
    NodeOutputs values(symbol.nodes.size());
    for (std::size_t i = 0; i < symbol.nodes.size(); ++i) {
        if (needed[i]) {
            const SymbolNode& node = symbol.nodes[i];
            values[i] = node.is_variable() ? std::vector<Output>{variable(symbol, i, place)}
                                           : translate(node, values, place);
        }
    }
    for (const Entry& head : symbol.heads) {
        const SymbolNode& node = symbol.nodes[head.node];
        place.require(head.output < values[head.node].size(), "a head is output ", head.output,
                      " of '", node.name, "' (", node.op, "), which has ",
                      values[head.node].size());
        const Output result = values[head.node][head.output];
        model_->add_result(unique_name(node.name + "/result"), result);
    }
    return model_;
}

std::vector<Output> GraphImporter::insert_subgraph(const Symbol& symbol,
                                                   const std::vector<Output>& inputs,
                                                   const Place& place) {
    inserted_ += symbol.nodes.size();
    place.require(inserted_ <= kMostInserted, "subgraphs have more than ", kMostInserted, " nodes");
    NodeOutputs values(symbol.nodes.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < symbol.nodes.size(); ++i) {
        const SymbolNode& node = symbol.nodes[i];
        if (node.is_variable()) {
            place.require(next < inputs.size(), "its subgraph has more than ", inputs.size(),
                          " variables");
            values[i] = {inputs[next++]};
        } else {
            values[i] = translate(node, values, place);
        }
    }
    std::vector<Output> heads;
    for (const Entry& head : symbol.heads) {
        place.require(head.output < values[head.node].size(), "a head of its subgraph is output ",
                      head.output, " of '", symbol.nodes[head.node].name, "'");
        heads.push_back(values[head.node][head.output]);
    }
    return heads;
}

// A parameter of the file, or an input of the Model, whose shape and type may be stated.
Output GraphImporter::variable(const Symbol& symbol, std::size_t index, const Place& graph) {
    const SymbolNode& node = symbol.nodes[index];
    Place place = graph;
    place.layer = node.name;
    place.op = "input";
    if (const auto found = params_.find(node.name); found != params_.end()) {
        place.require(bool(found->second), "has an array without a shape");
        return model_->add_constant(unique_name(node.name), found->second)->output();
    }
    const TextAttributes attributes(node.attributes, place);
    const std::int64_t number = std::max<std::int64_t>(attributes.integer("__dtype__", 0), 0);
    const ElementType type = element_type(number);
    place.require(type != ElementType::undefined, "is of the type ", number,
                  ", which is not supported");
    PartialShape shape = default_shape(symbol);
    if (attributes.has("__shape__")) {
        std::vector<Dimension> dims;
        for (const std::int64_t size : attributes.integers("__shape__")) {
            dims.push_back(size <= 0 ? Dimension::dynamic() : Dimension(size));
        }
        shape = PartialShape(dims);
    } else {
        warn(fmt::format("'{}': the file does not say the shape of the input, {} is taken",
                         node.name, to_string(shape)));
    }
    fuseq::Node* made = model_->add_parameter(unique_name(node.name), type, shape);
    made->port(0).names.insert(node.name);
    return made->output();
}

std::vector<Output> GraphImporter::translate(const SymbolNode& node,
                                             const NodeOutputs& values,
                                             const Place& graph) {
    const Place place{.file = graph.file, .layer = node.name, .op = node.op};
    std::vector<Output> inputs;
    for (const Entry& entry : node.inputs) {
        // A label of a loss has no value.
        const bool label = node.op == "SoftmaxOutput" && !inputs.empty();
        place.require(label || entry.output < values[entry.node].size(), "input ", inputs.size(),
                      " is output ", entry.output, " of node ", entry.node, ", which has ",
                      values[entry.node].size());
        inputs.push_back(label ? Output{} : values[entry.node][entry.output]);
    }
    Operator op(node, std::move(inputs), *this, place);
    std::vector<Output> outputs;
    readers::translate_at(
        place, [] { return ""; }, [&] { outputs = find_operator(node.op)->translate(op); });
    if (!outputs.empty() &&
        std::find(op.made().begin(), op.made().end(), outputs[0].node) != op.made().end()) {
        fuseq::Node* last = outputs[0].node;
        names_.erase(last->name());
        last->set_name(unique_name(node.name));
        last->port(outputs[0].index).names.insert(node.name + "_output");
    }
    return outputs;
}

std::string GraphImporter::unique_name(const std::string& base) {
    return readers::unique_name(names_, base);
}

void GraphImporter::warn(const std::string& sentence) const {
    if (options_.on_warning) {
        options_.on_warning(sentence);
    }
}

}  // namespace fuseq::mxnet_reader
