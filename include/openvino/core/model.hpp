// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "openvino/core/absent.hpp"
#include "openvino/core/layout.hpp"
#include "openvino/core/node_output.hpp"

namespace ov {

class Model {
public:
    explicit Model(std::shared_ptr<fuseq::Model> model) : model_(std::move(model)) {}
    // The Model of Fuseq's own API.
    const std::shared_ptr<fuseq::Model>& own() const { return model_; }

    const std::string& get_friendly_name() const { return model_->name(); }
    const std::string& get_name() const { return model_->name(); }
    void set_friendly_name(const std::string& name) { model_->set_name(name); }

    std::vector<Output<Node>> inputs() const { return detail::ports_of(model_->inputs(), model_); }
    std::vector<Output<Node>> outputs() const {
        return detail::ports_of(model_->outputs(), model_);
    }
    Output<Node> input() const { return only(inputs(), "input"); }
    Output<Node> output() const { return only(outputs(), "output"); }
    Output<Node> input(std::size_t index) const {
        return port([&] { return model_->input(index); });
    }
    Output<Node> output(std::size_t index) const {
        return port([&] { return model_->output(index); });
    }
    Output<Node> input(const std::string& name) const {
        return port([&] { return model_->input(name); });
    }
    Output<Node> output(const std::string& name) const {
        return port([&] { return model_->output(name); });
    }
    Output<Node> add_output(const std::string& tensor_name) {
        return port([&] { return model_->add_output(tensor_name); });
    }
    // Of a layer.
    Output<Node> add_output(const std::string& op_name, std::size_t index) {
        return add_output(index == 0 ? op_name : op_name + "." + std::to_string(index));
    }
    Output<Node> add_output(const Output<Node>& port_of_node) {
        return port([&] { return model_->add_output(port_of_node.port()); });
    }
    std::size_t get_output_size() const { return model_->results().size(); }
    Shape get_output_shape(std::size_t i) const { return output(i).get_shape(); }
    PartialShape get_output_partial_shape(std::size_t i) const {
        return output(i).get_partial_shape();
    }
    element::Type get_output_element_type(std::size_t i) const {
        return output(i).get_element_type();
    }

    // Producers first.
    std::vector<std::shared_ptr<Node>> get_ordered_ops() const {
        return nodes(model_->ordered_nodes());
    }
    std::vector<std::shared_ptr<Node>> get_ops() const { return get_ordered_ops(); }
    std::vector<std::shared_ptr<Node>> get_parameters() const {
        return nodes(model_->parameters());
    }
    std::vector<std::shared_ptr<Node>> get_results() const { return nodes(model_->results()); }

    std::shared_ptr<Node> get_result() const {
        (void)output();  // refuses several
        return get_results().front();
    }
    // Which input or output it is; -1 for none, as in OpenVINO.
    std::int64_t get_parameter_index(const std::shared_ptr<Node>& parameter) const {
        return place_among(model_->parameters(), parameter->own());
    }
    std::int64_t get_result_index(const std::shared_ptr<Node>& result) const {
        return place_among(model_->results(), result->own());
    }
    template <class... Path>
    bool has_rt_info(const Path&...) const {
        static_assert(detail::kAbsent<Path...>,
                      "Fuseq keeps no rt_info of models (docs/openvino_compat.md)");
        return false;
    }
    template <class T, class... Path>
    T get_rt_info(const Path&...) const {
        static_assert(detail::kAbsent<T>,
                      "Fuseq keeps no rt_info of models (docs/openvino_compat.md)");
        return T();
    }

    bool is_dynamic() const {
        for (const fuseq::Node* node : model_->ordered_nodes()) {
            for (std::size_t i = 0; i < node->output_count(); ++i) {
                if (node->port(i).shape.is_dynamic()) {
                    return true;
                }
            }
        }
        return false;
    }
    void reshape(const PartialShape& shape) {
        detail::guarded([&] { model_->reshape(fuseq::PartialShape(shape)); });
    }
    void reshape(const std::map<std::string, PartialShape>& shapes) {
        std::map<std::string, fuseq::PartialShape> wanted(shapes.begin(), shapes.end());
        detail::guarded([&] { model_->reshape(wanted); });
    }
    void reshape(const std::map<std::size_t, PartialShape>& shapes) {
        std::map<Output<Node>, PartialShape> wanted;
        for (const auto& [index, shape] : shapes) {
            wanted.emplace(input(index), shape);
        }
        reshape(wanted);
    }
    void reshape(const std::map<Output<Node>, PartialShape>& shapes) {
        std::map<std::string, PartialShape> wanted;
        for (const auto& [port, shape] : shapes) {
            wanted.emplace(port.get_node()->get_friendly_name(), shape);
        }
        reshape(wanted);
    }
    std::shared_ptr<Model> clone() const { return std::make_shared<Model>(model_->clone()); }

private:
    template <class Find>
    Output<Node> port(const Find& find) const {
        return {detail::guarded(find), model_};
    }
    static Output<Node> only(const std::vector<Output<Node>>& ports, const char* what) {
        if (ports.size() != 1) {
            throw Exception(std::string(what) +
                            "() must be called for a model with exactly one; it has " +
                            std::to_string(ports.size()));
        }
        return ports[0];
    }
    static std::int64_t place_among(const std::vector<fuseq::Node*>& nodes,
                                    const fuseq::Node* node) {
        const auto found = std::find(nodes.begin(), nodes.end(), node);
        return found == nodes.end() ? -1 : found - nodes.begin();
    }
    std::vector<std::shared_ptr<Node>> nodes(const std::vector<fuseq::Node*>& list) const {
        std::vector<std::shared_ptr<Node>> nodes;
        for (fuseq::Node* node : list) {
            nodes.push_back(std::make_shared<Node>(node, model_));
        }
        return nodes;
    }

    std::shared_ptr<fuseq::Model> model_;
};

// The size of the dimension N of all inputs that have one by their layouts.
inline Dimension get_batch(const std::shared_ptr<const Model>& model) {
    Dimension batch = Dimension::dynamic();
    bool found = false;
    for (const auto& input : model->inputs()) {
        const PartialShape shape = input.get_partial_shape();
        const auto axis = layout::get_layout(input).index_in("N", shape.size());
        if (axis && found && batch != shape[*axis]) {
            throw Exception("get_batch: inputs have different batch sizes");
        }
        if (axis) {
            batch = shape[*axis];
            found = true;
        }
    }
    if (!found) {
        throw Exception("get_batch: no input has a layout with N; ov::layout::set_layout()");
    }
    return batch;
}
inline void set_batch(const std::shared_ptr<Model>& model, const Dimension& batch) {
    std::map<std::size_t, PartialShape> shapes;
    for (std::size_t i = 0; i < model->inputs().size(); ++i) {
        PartialShape shape = model->input(i).get_partial_shape();
        if (const auto axis = layout::get_layout(model->input(i)).index_in("N", shape.size())) {
            shape[*axis] = batch;
            shapes.emplace(i, shape);
        }
    }
    if (shapes.empty()) {
        throw Exception("set_batch: no input has a layout with N; ov::layout::set_layout()");
    }
    model->reshape(shapes);
}

}  // namespace ov
