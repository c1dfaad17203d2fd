// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Model: a graph of operations, as read from an IR or built in code. Not synchronised: one thread
// at a time may change it; any number may read it. Constants share their memory between copies.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fuseq/node.hpp"

namespace fuseq {

class Model {
public:
    explicit Model(std::string name = "model");
    ~Model();
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    const std::string& name() const { return name_; }
    void set_name(std::string name) { name_ = std::move(name); }
    const std::string& get_friendly_name() const { return name_; }

    // --- inputs and outputs -----------------------------------------------------------------
    // Parameters and Results in the order of the IR.
    const std::vector<Node*>& parameters() const { return parameters_; }
    const std::vector<Node*>& results() const { return results_; }
    // Output port of each Parameter.
    std::vector<Output> inputs() const;
    // The port that each Result reads.
    std::vector<Output> outputs() const;
    // By tensor name or by layer name (of the Parameter; of the layer that feeds the Result, with
    // ".<port>" when that layer has several outputs). Throws Error listing the names there are.
    Output input(std::string_view name) const;
    Output output(std::string_view name) const;
    Output input(std::size_t index = 0) const;
    Output output(std::size_t index = 0) const;
    // Position in inputs()/outputs() of the port of that name.
    std::size_t input_index(std::string_view name) const;
    std::size_t output_index(std::string_view name) const;
    // Name of a model output as the tools write it: the layer that feeds the Result, plus
    // ".<port>" when that layer has several outputs.
    std::string output_name(std::size_t index) const;

    // Gives the inputs new shapes and infers everything anew. On an error the model is as before.
    void reshape(const std::map<std::string, PartialShape>& shapes);
    void reshape(const PartialShape& shape);  // for models with one input
    // Makes the named tensor or layer (first output) an output of the model.
    Output add_output(std::string_view tensor_or_layer_name);
    Output add_output(Output port);

    // --- nodes ------------------------------------------------------------------------------
    // Adds an operation and infers its outputs. `opset` selects the version as the IR does: the
    // newest one not newer than it. An empty name gets a unique one made from the type.
    Node* add(std::string_view type,
              int opset,
              std::string name,
              std::vector<Output> inputs,
              std::unique_ptr<Attributes> attributes = nullptr);
    template <class A>
    Node* add(std::string_view type,
              int opset,
              std::string name,
              std::vector<Output> inputs,
              A attributes) {
        return add(type, opset, std::move(name), std::move(inputs),
                   std::unique_ptr<Attributes>(std::make_unique<A>(std::move(attributes))));
    }
    Node* add_parameter(std::string name, ElementType type, const PartialShape& shape);
    Node* add_constant(std::string name, Tensor value);
    Node* add_result(std::string name, Output source);
    // Without inference, for the reader: call validate() afterwards.
    Node* add_unchecked(const OpSpec& spec,
                        std::string name,
                        std::vector<Output> inputs,
                        std::unique_ptr<Attributes> attributes);

    std::size_t node_count() const { return nodes_.size(); }
    // Producers first; independent nodes in the order they were added. Iterative. Throws Error
    // when the graph has a cycle.
    std::vector<Node*> ordered_nodes() const;
    // First node of that layer name, or null.
    Node* find(std::string_view name) const;
    std::vector<Node*> find_all(std::string_view type) const;

    // --- editing ----------------------------------------------------------------------------
    // Every reader of `from` reads `to` instead; tensor names move along.
    void replace(Output from, Output to);
    // Removes nodes that no Result depends on (Parameters stay). Returns how many.
    std::size_t remove_dead_nodes();
    // Removes one node whose outputs nobody reads.
    void remove(Node* node);
    // Infers all nodes in order; throws the first Error.
    void validate();
    std::shared_ptr<Model> clone() const;
    // A name that no node has: base, or base + "_<n>".
    std::string unique_name(const std::string& base) const;

    // One line a node, producers first; docs in src/model/to_text.cpp. Constants of more than
    // `inline_limit` elements print as fill(x) when all elements are equal, else as a hash.
    static constexpr std::size_t kInlineLimit = 64;
    std::string to_text(std::size_t inline_limit = kInlineLimit) const;
    // Reads that form; types after ':' are checked against inference where given. Throws Error
    // naming the line. A constant that is only given by its hash is an error.
    static std::shared_ptr<Model> from_text(std::string_view text);

private:
    std::string name_;
    std::size_t next_id_ = 0;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<Node*> parameters_;
    std::vector<Node*> results_;
};

// What differs first between two models: structure, types, shapes, attributes, constant bytes,
// names of inputs and outputs. Empty when nothing does.
struct CompareOptions {
    bool layer_names = false;         // compare the names of all layers too
    double constant_tolerance = 0.0;  // relative, for real constants
};
std::string compare_models(const Model& a, const Model& b, const CompareOptions& options = {});

}  // namespace fuseq
