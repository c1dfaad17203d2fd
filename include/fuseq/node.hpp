// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Node: one operation of a Model. Output: one of its results, the public handle to a model's
// inputs and outputs. Nodes are owned by their Model; handles are valid while it lives.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "fuseq/attributes.hpp"
#include "fuseq/element_type.hpp"
#include "fuseq/shape.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq {

class Model;
class Node;
struct OpSpec;

// A result of a node.
struct Output {
    Node* node = nullptr;
    std::size_t index = 0;

    explicit operator bool() const { return node != nullptr; }
    friend bool operator==(const Output&, const Output&) = default;

    ElementType type() const;
    const PartialShape& partial_shape() const;
    Shape shape() const;  // throws Error when not static

    // OpenVINO's spelling.
    Node* get_node() const { return node; }
    std::size_t get_index() const { return index; }
    ElementType get_element_type() const { return type(); }
    const PartialShape& get_partial_shape() const { return partial_shape(); }
    Shape get_shape() const { return shape(); }
    const std::unordered_set<std::string>& get_names() const;
    // The smallest tensor name; the node's name when it has none.
    std::string get_any_name() const;
};

// Where an Output is read: input `index` of `node`.
struct Use {
    Node* node = nullptr;
    std::size_t index = 0;
    friend bool operator==(const Use&, const Use&) = default;
};

struct OutputPort {
    ElementType type = ElementType::undefined;
    PartialShape shape;
    std::unordered_set<std::string> names;  // tensor names of the IR
    std::vector<Use> uses;                  // maintained by Node; in the order they were made
    // Value, where it follows from constants (small tensors that shapes are computed from).
    Tensor known_value;
    // Elements of a one-dimensional integer value that follow from partly known shapes; empty
    // when nothing is known.
    std::vector<Dimension> known_dims;
};

class Node {
public:
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    Model& model() const { return *model_; }
    const OpSpec& spec() const { return *spec_; }
    std::string type() const;  // "Convolution"
    bool is(std::string_view type) const;
    const std::string& name() const { return name_; }
    void set_name(std::string name) { name_ = std::move(name); }
    const std::string& get_friendly_name() const { return name_; }
    // Number of the node in its Model, unique there; never reused.
    std::size_t id() const { return id_; }

    // The attribute struct of this operation; a wrong type throws std::bad_cast.
    template <class A>
    A& attrs() {
        return dynamic_cast<A&>(*attributes_);
    }
    template <class A>
    const A& attrs() const {
        return dynamic_cast<const A&>(*attributes_);
    }
    Attributes& attributes() { return *attributes_; }
    const Attributes& attributes() const { return *attributes_; }

    // An input may be absent (optional input that the IR leaves unconnected): a null Output.
    std::size_t input_count() const { return inputs_.size(); }
    const Output& input(std::size_t i) const { return inputs_.at(i); }
    Node* input_node(std::size_t i) const { return inputs_.at(i).node; }
    bool has_input(std::size_t i) const { return i < inputs_.size() && inputs_[i].node; }
    const std::vector<Output>& inputs() const { return inputs_; }
    void set_input(std::size_t i, Output source);
    void add_input(Output source);

    std::size_t output_count() const { return outputs_.size(); }
    Output output(std::size_t i = 0) { return {this, i}; }
    OutputPort& port(std::size_t i = 0) { return outputs_.at(i); }
    const OutputPort& port(std::size_t i = 0) const { return outputs_.at(i); }
    // Adds or removes output ports (removed ones must be unread).
    void set_output_count(std::size_t count);
    // All uses of all outputs.
    std::vector<Use> users() const;

    // Checks inputs and attributes and computes output types and shapes. Throws Error.
    void infer();

    bool is_constant() const { return is("Const"); }
    // Value of a Const; throws Error for any other node.
    const Tensor& constant() const;

    // rt_info of the IR that is kept, flattened "name" -> "value"; written back.
    std::map<std::string, std::string> rt_info;
    // Id of the layer in the IR that it was read from, for messages only; empty otherwise.
    std::string layer_id;
    // Names of the IR layers that this node stands for (itself, and what was fused into it).
    // Empty means: its own name.
    std::vector<std::string> origins;

private:
    friend class Model;
    Node(Model& model,
         const OpSpec& spec,
         std::size_t id,
         std::string name,
         std::unique_ptr<Attributes> attributes);
    void detach_inputs();

    Model* model_;
    const OpSpec* spec_;
    std::size_t id_;
    std::string name_;
    std::unique_ptr<Attributes> attributes_;
    std::vector<Output> inputs_;
    std::vector<OutputPort> outputs_;
};

}  // namespace fuseq
