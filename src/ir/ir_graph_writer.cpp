// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_graph_writer.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "ir/ir_document.hpp"
#include "ops/detection/non_max_suppression.hpp"
#include "ops/op_spec.hpp"
#include "ops/opsets.hpp"

namespace fuseq {
namespace {

[[noreturn]] void fail(const Node& node, std::string rule) {
    throw Error(Error::Info{.stage = "write",
                            .file = {},
                            .layer_id = {},
                            .layer = node.name(),
                            .op = node.type(),
                            .rule = std::move(rule)});
}

void set(pugi::xml_node node, const char* name, const std::string& value) {
    node.append_attribute(name).set_value(value.c_str());
}
void set(pugi::xml_node node, const char* name, std::size_t value) {
    set(node, name, std::to_string(value));
}

// What only transformations make cannot be said in an IR.
void require_writable(const Node& node) {
    if (node.spec().internal) {
        fail(node, "is made by transformations and has no IR form");
    }
    if (node.input_count() > node.spec().inputs.max) {
        fail(node, fmt::format("has {} inputs, an IR can say {}", node.input_count(),
                               node.spec().inputs.max));
    }
    if (node.name().empty()) {
        fail(node, "has no name");
    }
}

// An internal attribute that the reader finds in what the ports declare: NonMaxSuppression with a
// fixed number of rows (ir_builder.cpp, note_fixed_rows).
bool said_by_ports(const Node& node, const NamedAttribute& item) {
    return dynamic_cast<const NonMaxSuppression5Attrs*>(&node.attributes()) != nullptr &&
           item.name == "pad_rows" && node.port(0).shape.rank_is_static() &&
           node.port(0).shape[0].is_static();
}

// Optional attributes that say nothing are left out: empty lists, undefined types.
bool says_nothing(const NamedAttribute& item, const std::string& text) {
    return !item.required && (text.empty() || text == to_string(ElementType::undefined));
}

void write_attributes(pugi::xml_node data, const Node& node) {
    const auto items = list_attributes(node.attributes());
    const auto fresh = node.spec().make_attributes();
    const auto copies = list_attributes(*fresh);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const NamedAttribute& item = items[i];
        if (item.internal) {
            if (!same_value(item.ref, copies[i].ref) && !said_by_ports(node, item)) {
                fail(node, fmt::format("attribute {} is '{}', which only transformations set",
                                       item.name, attribute_to_text(item.ref)));
            }
            continue;
        }
        const std::string text = attribute_to_text(item.ref);
        if (same_value(item.ref, copies[i].ref) && says_nothing(item, text)) {
            continue;
        }
        // Strings with commas in a list do not survive.
        attribute_from_text(copies[i].ref, text);
        if (!same_value(item.ref, copies[i].ref)) {
            fail(node,
                 fmt::format("attribute {} is '{}', which would not be read as the same value",
                             item.name, text));
        }
        set(data, item.name.c_str(), text);
    }
}

bool is_xml_name(std::string_view text) {
    const auto letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !text.empty() && letter(text.front()) &&
           std::all_of(text.begin(), text.end(),
                       [&](char c) { return letter(c) || c == '-' || (c >= '0' && c <= '9'); });
}

// The reverse of IrBuilder::read_rt_info.
void write_rt_info(pugi::xml_node layer, const Node& node) {
    if (node.rt_info.empty()) {
        return;
    }
    pugi::xml_node list = layer.append_child("rt_info");
    for (const auto& [key, value] : node.rt_info) {
        const auto dot = key.rfind('.');
        const std::string suffix = dot == std::string::npos ? "" : key.substr(dot + 1);
        const bool split = is_xml_name(suffix) && suffix != "name" && suffix != "value";
        const std::string name = split ? key.substr(0, dot) : key;
        pugi::xml_node item = list.find_child_by_attribute("attribute", "name", name.c_str());
        if (!item) {
            item = list.append_child("attribute");
            set(item, "name", name);
        }
        set(item, split ? suffix.c_str() : "value", value);
    }
}

void write_dims(pugi::xml_node port, const PartialShape& shape) {
    for (const Dimension& dimension : shape.dims()) {
        const std::string text = dimension.is_static() ? to_string(dimension) : "-1";
        port.append_child("dim").text().set(text.c_str());
    }
}

// As OpenVINO knows them: CompiledModel::get_runtime_model().
bool is_execution_graph(const Model& model) {
    const std::vector<Node*> nodes = model.ordered_nodes();
    return !nodes.empty() && std::all_of(nodes.begin(), nodes.end(), [](const Node* node) {
        return node->rt_info.contains("execTimeMcs");
    });
}

}  // namespace

IrGraphWriter::IrGraphWriter(const Model& model, WeightsWriter& weights)
    : model_(model), execution_graph_(is_execution_graph(model)), weights_(weights) {}

void IrGraphWriter::write(pugi::xml_node parent) {
    std::vector<const Node*> nodes(model_.parameters().begin(), model_.parameters().end());
    for (const Node* node : model_.ordered_nodes()) {
        if (!node->is("Parameter") && !node->is("Result")) {
            nodes.push_back(node);
        }
    }
    nodes.insert(nodes.end(), model_.results().begin(), model_.results().end());
    for (const Node* node : nodes) {
        ids_.emplace(node, ids_.size());
    }
    pugi::xml_node layers = parent.append_child("layers");
    for (const Node* node : nodes) {
        write_layer(layers, *node);
    }
    pugi::xml_node edges = parent.append_child("edges");
    for (const Node* node : nodes) {
        write_edges(edges, *node);
    }
}

void IrGraphWriter::write_layer(pugi::xml_node layers, const Node& node) {
    require_writable(node);
    pugi::xml_node layer = layers.append_child("layer");
    set(layer, "id", ids_.at(&node));
    set(layer, "name", node.name());
    if (execution_graph_) {
        write_execution_node(layer, node);
        return;
    }
    set(layer, "type", node.type());
    // The first opset that has the operation in this form: other readers look it up there.
    const OpsetForm* form = opset_form_of(node.spec());
    set(layer, "version",
        node.spec().own_set
            ? std::string(kOwnSet)
            : "opset" + std::to_string(form != nullptr ? form->first : node.spec().version));
    if (node.is_constant()) {
        write_constant(layer.append_child("data"), node);
    } else if (!write_ir_subgraphs(layer, node, weights_)) {
        pugi::xml_node data = layer.append_child("data");
        write_attributes(data, node);
        if (!data.first_attribute()) {
            layer.remove_child(data);
        }
    }
    write_rt_info(layer, node);
    write_ports(layer, node);
}

// The kind of the step is the type of the layer, and what is known of it are attributes; there is
// no opset. It is to be looked at, and no reader takes it for a model.
void IrGraphWriter::write_execution_node(pugi::xml_node layer, const Node& node) {
    const auto type = node.rt_info.find("layerType");
    set(layer, "type", type == node.rt_info.end() ? node.type() : type->second);
    pugi::xml_node data = layer.append_child("data");
    for (const auto& [key, value] : node.rt_info) {
        if (key != "layerType") {
            set(data, key.c_str(), value);
        }
    }
    write_ports(layer, node);
}

void IrGraphWriter::write_constant(pugi::xml_node data, const Node& node) {
    const Tensor& value = node.constant();
    const std::string shape = to_string(value.get_shape());
    set(data, "element_type", to_string(value.get_element_type()));
    set(data, "shape", shape.substr(1, shape.size() - 2));
    set(data, "offset", weights_.add(value));
    set(data, "size", value.get_byte_size());
}

// Ports are numbered through: inputs, then outputs.
void IrGraphWriter::write_ports(pugi::xml_node layer, const Node& node) {
    if (node.input_count() != 0) {
        pugi::xml_node list = layer.append_child("input");
        for (std::size_t i = 0; i < node.input_count(); ++i) {
            pugi::xml_node port = list.append_child("port");
            set(port, "id", i);
            if (node.has_input(i)) {
                write_dims(port, node.input(i).partial_shape());
            }
        }
    }
    if (node.is("Result")) {
        return;
    }
    pugi::xml_node list = layer.append_child("output");
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        const OutputPort& output = node.port(i);
        pugi::xml_node port = list.append_child("port");
        set(port, "id", node.input_count() + i);
        if (output.type != ElementType::undefined) {
            set(port, "precision", to_ir_precision(output.type));
        }
        if (!output.names.empty()) {
            set(port, "names",
                join_tensor_names(
                    std::vector<std::string>(output.names.begin(), output.names.end())));
        }
        write_dims(port, output.shape);
    }
}

void IrGraphWriter::write_edges(pugi::xml_node edges, const Node& node) {
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        const Output& input = node.input(i);
        if (!input) {
            continue;
        }
        pugi::xml_node edge = edges.append_child("edge");
        set(edge, "from-layer", ids_.at(input.node));
        set(edge, "from-port", input.node->input_count() + input.index);
        set(edge, "to-layer", ids_.at(&node));
        set(edge, "to-port", i);
    }
}

}  // namespace fuseq
