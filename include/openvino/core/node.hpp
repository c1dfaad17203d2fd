// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What programs ask of the nodes of a model: names, types, sizes. Nodes cannot be made.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "fuseq/model.hpp"
#include "openvino/core/any.hpp"
#include "openvino/core/partial_shape.hpp"

namespace ov {

class Node {
public:
    Node() = default;
    Node(fuseq::Node* node, std::shared_ptr<const fuseq::Model> model)
        : node_(node), model_(std::move(model)) {}

    const std::string& get_friendly_name() const { return node_->name(); }
    const std::string& get_name() const { return node_->name(); }
    void set_friendly_name(const std::string& name) { node_->set_name(name); }
    std::string get_type_name() const { return node_->type(); }
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

private:
    fuseq::Node* node_ = nullptr;
    std::shared_ptr<const fuseq::Model> model_;  // owns the node
};

}  // namespace ov
