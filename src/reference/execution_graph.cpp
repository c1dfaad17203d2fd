// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/execution_graph.hpp"

#include <map>

#include <nlohmann/json.hpp>

namespace fuseq::reference {
namespace {

using nlohmann::ordered_json;

class GraphWriter {
public:
    void add(const Node& node, const std::string& type, const std::string& implementation) {
        ordered_json sources = ordered_json::array();
        for (const Output& input : node.inputs()) {
            if (const auto found = positions_.find(input.node); found != positions_.end()) {
                sources.push_back({found->second, input.index});
            }
        }
        ordered_json ports = ordered_json::array();
        std::string types;
        std::string layouts;
        for (std::size_t i = 0; type != "Output" && i < node.output_count(); ++i) {
            const OutputPort& port = node.port(i);
            types += (types.empty() ? "" : ",") + to_string(port.type);
            layouts += (layouts.empty() ? "" : ",") + letters(port.shape);
            ports.push_back({{"type", to_string(port.type)}, {"shape", to_string(port.shape)}});
        }
        if (type == "Output") {
            types = to_string(node.input(0).type());
            layouts = letters(node.input(0).partial_shape());
        }
        positions_[&node] = nodes_.size();
        nodes_.push_back({{"name", node.name()},
                          {"inputs", sources},
                          {"outputs", ports},
                          {"info",
                           {{"layerType", type},
                            {"primitiveType", implementation},
                            {"originalLayersNames", node.name()},
                            {"outputPrecisions", types},
                            {"outputLayouts", layouts},
                            {"runtimePrecision", types.substr(0, types.find(','))},
                            {"execOrder", std::to_string(nodes_.size())}}}});
    }
    const ordered_json& nodes() const { return nodes_; }

private:
    // Memory is row-major.
    static std::string letters(const PartialShape& shape) {
        if (!shape.rank_is_static()) {
            return "undef";
        }
        std::string text;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            text += static_cast<char>('a' + i);
        }
        return text.empty() ? "x" : text;
    }

    std::map<const Node*, std::size_t> positions_;
    ordered_json nodes_ = ordered_json::array();
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
    return ordered_json{{"name", model.name()}, {"nodes", writer.nodes()}}.dump(1);
}

}  // namespace fuseq::reference
