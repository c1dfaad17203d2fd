// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/execution_graph.hpp"

#include <map>

#include <nlohmann/json.hpp>

#include "model/execution_graph_json.hpp"

namespace fuseq::reference {
namespace {

// Memory is row-major.
class GraphWriter {
public:
    void add(const Node& node, const std::string& type, const std::string& implementation) {
        ExecutionNode item{.name = node.name(),
                           .layer_type = type,
                           .implementation = implementation,
                           .layers = node.name()};
        for (const Output& input : node.inputs()) {
            if (const auto found = positions_.find(input.node); found != positions_.end()) {
                item.inputs.push_back({found->second, input.index});
            }
        }
        if (type == "Output") {
            item.tensors.push_back({node.input(0).type(), node.input(0).partial_shape()});
        } else {
            for (std::size_t i = 0; i < node.output_count(); ++i) {
                item.tensors.push_back({node.port(i).type, node.port(i).shape});
            }
        }
        positions_[&node] = writer_.add(item);
    }
    std::string text(const std::string& name) const { return writer_.text(name); }

private:
    std::map<const Node*, std::size_t> positions_;
    ExecutionGraphWriter<nlohmann::ordered_json> writer_;
};

}  // namespace

std::string execution_graph_json(const Model& model, const std::vector<const Node*>& executed) {
    GraphWriter writer;
    for (const Node* parameter : model.parameters()) {
        writer.add(*parameter, "Input", "unknown");
    }
    for (const Node* node : executed) {
        if (!node->is("Parameter") && !node->is("Result")) {
            writer.add(*node, node->type(), "reference");
        }
    }
    for (const Node* result : model.results()) {
        writer.add(*result, "Output", "unknown");
    }
    return writer.text(model.name());
}

}  // namespace fuseq::reference
