// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One graph of a file, or a body of If or Loop, to a Model.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "readers/onnx/operator.hpp"

namespace onnx {
class GraphProto;
class NodeProto;
class ValueInfoProto;
}  // namespace onnx

namespace fuseq::onnx_reader {

// What the graphs of one file share.
struct FileContext {
    Place place;
    std::filesystem::path folder;
    std::map<std::string, int> opsets;  // by domain
    std::function<void(const std::string&)> on_warning;
};

// Throws one Error that lists all operators of the graph and its bodies that cannot be read.
void refuse_unknown_operators(const ::onnx::GraphProto& graph, const FileContext& context);

class GraphImporter final : public GraphServices {
public:
    // `parent`: the graph around a body.
    GraphImporter(const ::onnx::GraphProto& graph,
                  const FileContext& context,
                  GraphImporter* parent = nullptr);

    std::shared_ptr<Model> read_model();
    Body read_as_body(const std::vector<ElementType>& own_inputs);

    Model& model() override { return *model_; }
    std::string unique_name(const std::string& base) override;
    const QuantizedValue* quantized(Output value) const override;
    void note_quantized(Output value, QuantizedValue source) override;
    const std::vector<Output>* sequence(Output value) const override;
    void note_sequence(Output value, std::vector<Output> tensors) override;
    Body read_body(const ::onnx::GraphProto& graph,
                   const std::vector<ElementType>& own_inputs,
                   const Place& place) override;
    void warn(const std::string& sentence) const override;

private:
    void add_inputs(const std::vector<ElementType>& own_inputs);
    void add_initializers();
    void add_nodes();
    void add_results();
    void name_outputs();
    void translate(const ::onnx::NodeProto& node);
    void name_layers(const ::onnx::NodeProto& node,
                     const Operator& op,
                     const std::vector<Output>& outputs);
    void set_value(const std::string& name, Output value);
    // Null where the graph and those around it have no such value.
    Output find_value(const std::string& name);
    bool is_defined(const std::string& name) const;
    Output capture(const std::string& name);

    const ::onnx::GraphProto& graph_;
    const FileContext& context_;
    GraphImporter* parent_;
    std::size_t depth_;
    std::shared_ptr<Model> model_;
    std::unordered_map<std::string, Output> values_;
    std::unordered_set<std::string> names_;
    std::vector<std::pair<Output, QuantizedValue>> quantized_;
    std::unordered_map<const fuseq::Node*, std::vector<Output>> sequences_;
    std::vector<Output> captured_;  // outputs of the parent's nodes
};

}  // namespace fuseq::onnx_reader
