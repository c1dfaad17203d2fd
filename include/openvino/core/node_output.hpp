// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Ports: inputs and outputs of models. They keep the model.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "openvino/core/absent.hpp"
#include "openvino/core/node.hpp"

namespace ov {

template <class NodeType = Node>
class Output {
public:
    Output() = default;
    Output(const fuseq::Output& port, std::shared_ptr<const fuseq::Model> model)
        : port_(port), model_(model), node_(port.node, std::move(model)) {}
    // A port is one of nodes that may be changed or not; it is the same port.
    template <class Other>
    Output(const Output<Other>& other) : Output(other.port(), other.model()) {}

    const Node* get_node() const { return &node_; }
    std::shared_ptr<Node> get_node_shared_ptr() const { return std::make_shared<Node>(node_); }
    std::size_t get_index() const { return port_.index; }
    element::Type get_element_type() const { return port_.type(); }
    PartialShape get_partial_shape() const { return port_.partial_shape(); }
    // Throws when a size is not known.
    Shape get_shape() const { return get_partial_shape().to_shape(); }
    const std::unordered_set<std::string>& get_names() const { return port_.get_names(); }
    std::string get_any_name() const {
        // As OpenVINO does, which does not go on to the name of the layer.
        if (get_names().empty()) {
            throw Exception("Attempt to get a name for a Tensor without names");
        }
        return port_.get_any_name();
    }
    void set_names(const std::unordered_set<std::string>& names) {
        port_.node->port(port_.index).names = names;
    }
    void add_names(const std::unordered_set<std::string>& names) {
        port_.node->port(port_.index).names.insert(names.begin(), names.end());
    }
    AnyMap get_rt_info() const { return node_.get_rt_info(); }
    template <class None = void>
    const Output& get_tensor() const {
        static_assert(
            detail::kAbsent<None>,
            "Fuseq has no descriptors of tensors (docs/openvino_compat.md): a port itself "
            "has get_names(), set_names() and add_names()");
        return *this;
    }
    template <class None = void>
    void get_target_inputs() const {
        static_assert(detail::kAbsent<None>,
                      "Fuseq has no inputs of nodes as objects (docs/openvino_compat.md): "
                      "Node::input_value() says what a node reads");
    }

    const fuseq::Output& port() const { return port_; }
    const std::shared_ptr<const fuseq::Model>& model() const { return model_; }

    friend bool operator==(const Output& a, const Output& b) { return a.port_ == b.port_; }
    friend bool operator<(const Output& a, const Output& b) {
        return std::pair(a.port_.node, a.port_.index) < std::pair(b.port_.node, b.port_.index);
    }
    friend std::ostream& operator<<(std::ostream& out, const Output& output) {
        return out << output.node_.get_type_name() << ' ' << output.node_.get_friendly_name() << '['
                   << output.port_.index << "]:" << output.get_element_type()
                   << output.get_partial_shape();
    }

private:
    fuseq::Output port_;
    std::shared_ptr<const fuseq::Model> model_;
    Node node_;
};

template <class NodeType>
using OutputOf = Output<NodeType>;

namespace detail {
inline std::vector<Output<Node>> ports_of(const std::vector<fuseq::Output>& ports,
                                          const std::shared_ptr<const fuseq::Model>& model) {
    std::vector<Output<Node>> list;
    for (const fuseq::Output& port : ports) {
        list.emplace_back(port, model);
    }
    return list;
}
}  // namespace detail

inline Output<Node> Node::output(std::size_t index) const {
    if (index >= node_->output_count()) {
        throw Exception("node '" + node_->name() + "' has no output " + std::to_string(index));
    }
    return {node_->output(index), model_};
}
inline std::vector<Output<Node>> Node::outputs() const {
    std::vector<Output<Node>> list;
    for (std::size_t i = 0; i < node_->output_count(); ++i) {
        list.push_back(output(i));
    }
    return list;
}
inline Output<Node> Node::input_value(std::size_t index) const {
    if (!node_->has_input(index)) {
        throw Exception("node '" + node_->name() + "' has no input " + std::to_string(index));
    }
    return {node_->input(index), model_};
}
inline std::vector<Output<Node>> Node::input_values() const {
    std::vector<Output<Node>> list;
    for (std::size_t i = 0; i < node_->input_count(); ++i) {
        if (node_->has_input(i)) {
            list.push_back(input_value(i));
        }
    }
    return list;
}
inline std::shared_ptr<Node> Node::get_input_node_shared_ptr(std::size_t index) const {
    return input_value(index).get_node_shared_ptr();
}

}  // namespace ov
