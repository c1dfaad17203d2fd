// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What programs ask of the nodes of a model: names, types, sizes. Nodes cannot be made.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "fuseq/model.hpp"
#include "openvino/core/any.hpp"
#include "openvino/core/partial_shape.hpp"

namespace ov {

class Layout;
template <class NodeType>
class Output;

// The kind of a node.
struct DiscreteTypeInfo {
    const char* name;
    const char* version_id;
};

class Node {
public:
    Node() = default;
    Node(fuseq::Node* node, std::shared_ptr<const fuseq::Model> model)
        : node_(node), model_(std::move(model)) {}

    const std::string& get_friendly_name() const { return node_->name(); }
    const std::string& get_name() const { return node_->name(); }
    void set_friendly_name(const std::string& name) { node_->set_name(name); }
    std::string get_type_name() const { return node_->type(); }
    // Text that lives as long as the process.
    DiscreteTypeInfo get_type_info() const {
        static std::set<std::string>& names = *new std::set<std::string>();
        static std::mutex mutex;
        const std::lock_guard lock(mutex);
        return {names.insert(node_->type()).first->c_str(), ""};
    }
    std::size_t get_input_size() const { return node_->input_count(); }
    std::size_t get_output_size() const { return node_->output_count(); }
    element::Type get_output_element_type(std::size_t i) const { return node_->port(i).type; }
    element::Type get_element_type() const { return get_output_element_type(0); }
    PartialShape get_output_partial_shape(std::size_t i) const { return node_->port(i).shape; }
    Shape get_output_shape(std::size_t i) const { return get_output_partial_shape(i).to_shape(); }
    Shape get_shape() const { return get_output_shape(0); }
    PartialShape get_input_partial_shape(std::size_t i) const {
        return node_->input(i).partial_shape();
    }
    Shape get_input_shape(std::size_t i) const { return get_input_partial_shape(i).to_shape(); }
    element::Type get_input_element_type(std::size_t i) const { return node_->input(i).type(); }
    AnyMap get_rt_info() const {
        AnyMap info;
        for (const auto& [name, value] : node_->rt_info) {
            info.emplace(name, value);
        }
        return info;
    }

    // Ports of the node, and what its inputs read: defined in node_output.hpp.
    Output<Node> output(std::size_t index) const;
    std::vector<Output<Node>> outputs() const;
    Output<Node> input_value(std::size_t index) const;
    std::vector<Output<Node>> input_values() const;
    std::shared_ptr<Node> get_input_node_shared_ptr(std::size_t index) const;
    // Of a parameter, or of a result: defined in layout.hpp.
    Layout get_layout() const;
    void set_layout(const Layout& layout);

    const fuseq::Node* own() const { return node_; }

private:
    fuseq::Node* node_ = nullptr;
    std::shared_ptr<const fuseq::Model> model_;  // owns the node
};

}  // namespace ov
