// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How a device describes what it executes: the property FUSEQ_EXECUTION_GRAPH, JSON text with the keys
// that OpenVINO's execution graphs have:
// {"name", "nodes": [{"name", "inputs": [[node, port], ...], "outputs": [{"type", "shape"}],
// "info": {"layerType": "Input", "Output" or the kind of a step, "primitiveType",
// "originalLayersNames", "outputPrecisions", "outputLayouts", "runtimePrecision", "execOrder"}}]};
// inputs are positions of earlier nodes. runtime/execution_graph.hpp reads it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fuseq/element_type.hpp"
#include "fuseq/shape.hpp"
#include "model/json_text.hpp"

namespace fuseq {

inline constexpr const char* kExecutionGraph = "FUSEQ_EXECUTION_GRAPH";

struct ExecutionTensor {
    ElementType type = ElementType::undefined;
    PartialShape shape;
    bool channels_last = false;
};

// oneDNN's letters, "acdb" for channels-last memory of four dimensions.
inline std::string layout_letters(const ExecutionTensor& tensor) {
    if (!tensor.shape.rank_is_static()) {
        return "undef";
    }
    std::string letters;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        letters += static_cast<char>('a' + i);
    }
    if (tensor.channels_last && letters.size() > 2) {
        letters.erase(1, 1);
        letters += 'b';
    }
    return letters.empty() ? "x" : letters;
}

struct ExecutionNode {
    std::string name;
    std::string layer_type;
    std::string implementation = "unknown";
    std::string layers;  // of the model, with commas
    std::vector<std::pair<std::size_t, std::size_t>> inputs{};
    std::vector<ExecutionTensor> tensors{};  // its results; of an Output, what it reads
    std::string precision{};                 // empty: that of the first tensor
};

template <class Json>
class ExecutionGraphWriter {
public:
    // The position of the node.
    std::size_t add(const ExecutionNode& node) {
        Json inputs = Json::array();
        for (const auto& [source, port] : node.inputs) {
            inputs.push_back({source, port});
        }
        Json outputs = Json::array();
        std::string types;
        std::string layouts;
        for (const ExecutionTensor& tensor : node.tensors) {
            const char* comma = types.empty() ? "" : ",";
            types += comma + to_string(tensor.type);
            layouts += comma + layout_letters(tensor);
            if (node.layer_type != "Output") {
                outputs.push_back(
                    {{"type", to_string(tensor.type)}, {"shape", to_string(tensor.shape)}});
            }
        }
        const std::string first =
            node.tensors.empty() ? "undefined" : to_string(node.tensors[0].type);
        nodes_.push_back({{"name", node.name},
                          {"inputs", inputs},
                          {"outputs", outputs},
                          {"info",
                           {{"layerType", node.layer_type},
                            {"primitiveType", node.implementation},
                            {"originalLayersNames", node.layers},
                            {"outputPrecisions", types},
                            {"outputLayouts", layouts},
                            {"runtimePrecision", node.precision.empty() ? first : node.precision},
                            {"execOrder", std::to_string(nodes_.size())}}}});
        return nodes_.size() - 1;
    }
    std::string text(const std::string& name) const {
        return json_text(Json{{"name", name}, {"nodes", nodes_}}, 1);
    }

private:
    Json nodes_ = Json::array();
};

}  // namespace fuseq
