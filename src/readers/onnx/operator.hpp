// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operator: one node of the file while it is translated, and the layers that it becomes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuseq/model.hpp"
#include "readers/common/layer_builder.hpp"
#include "readers/onnx/file_error.hpp"
#include "readers/onnx/node_attributes.hpp"

namespace onnx {
class GraphProto;
}

namespace fuseq::onnx_reader {

using readers::ModelAttributes;

// A QuantizeLinear that was translated: DequantizeLinear looks for what it undoes.
struct QuantizedValue {
    Output source;  // what was quantized
    Output scale;
    Output zero_point;  // null where there is none
    std::int64_t axis = 1;
};

// A body of If or Loop.
struct Body {
    std::shared_ptr<Model> model;
    std::size_t own_inputs = 0;    // Parameters of the graph itself; those of `outer` follow
    std::vector<Output> captured;  // values around the graph, one a Parameter after those
};

// What a translation may ask of the graph around its node.
class GraphServices : public readers::LayerSink {
public:
    virtual const QuantizedValue* quantized(Output value) const = 0;
    virtual void note_quantized(Output value, QuantizedValue source) = 0;
    // A sequence is a value that stands for its tensors; null where the value is a tensor.
    virtual const std::vector<Output>* sequence(Output value) const = 0;
    virtual void note_sequence(Output value, std::vector<Output> tensors) = 0;
    // `own_inputs`: types of the body's inputs, for those that the file does not declare.
    virtual Body read_body(const ::onnx::GraphProto& graph,
                           const std::vector<ElementType>& own_inputs,
                           const Place& place) = 0;
    virtual void warn(const std::string& sentence) const = 0;
};

class Operator : public readers::LayerBuilder {
public:
    struct Node {
        std::string type;                       // "Conv"
        int version = 0;                        // operator set of its domain that the file imports
        std::string name;                       // of the layer
        std::vector<Output> inputs;             // null where left out
        std::vector<std::string> output_names;  // empty where left out
    };
    Operator(Node node, NodeAttributes stated, GraphServices& graph, Place place)
        : LayerBuilder(graph, node.name, std::move(place)),
          attributes(std::move(stated)),
          node_(std::move(node)),
          graph_(graph) {}

    const NodeAttributes attributes;

    const std::string& type() const { return node_.type; }
    int version() const { return node_.version; }
    GraphServices& graph() { return graph_; }

    // --- inputs and outputs -----------------------------------------------------------------
    std::size_t input_count() const { return node_.inputs.size(); }
    bool has_input(std::size_t i) const { return i < input_count() && bool(node_.inputs[i]); }
    // Throws Error where it is left out.
    Output input(std::size_t i) const;
    const std::vector<Output>& inputs() const { return node_.inputs; }
    std::size_t output_count() const { return node_.output_names.size(); }
    bool has_output(std::size_t i) const {
        return i < output_count() && !node_.output_names[i].empty();
    }
    const std::string& output_name(std::size_t i) const { return node_.output_names.at(i); }

private:
    Node node_;
    GraphServices& graph_;
};

}  // namespace fuseq::onnx_reader
