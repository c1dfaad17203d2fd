// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The reverse of ir_subgraphs.cpp: positions become ids again.
#include "fuseq/error.hpp"
#include "ir/ir_graph_writer.hpp"
#include "ops/control/subgraph.hpp"

namespace fuseq {
namespace {

class BodyWriter {
public:
    BodyWriter(const Node& node, const std::shared_ptr<Model>& body, WeightsWriter& weights)
        : node_(node), body_(body), graph_(*body, weights) {}

    void write(pugi::xml_node element) { graph_.write(element); }
    std::string parameter(std::int64_t position) const {
        return id(body_->parameters().at(static_cast<std::size_t>(position)));
    }
    std::string result(std::int64_t position) const {
        return id(body_->results().at(static_cast<std::size_t>(position)));
    }

    void write_rows(pugi::xml_node map, const char* what, const std::vector<std::int64_t>& flat) {
        const bool input = std::string_view(what) == "input";
        for (const PortMapRow& row : PortMap::rows(flat)) {
            pugi::xml_node element = map.append_child(what);
            // Ports are numbered through: inputs, then outputs.
            const std::size_t first = input ? 0 : node_.input_count();
            set(element, "external_port_id",
                std::to_string(first + static_cast<std::size_t>(row.external)));
            set(element, "internal_layer_id",
                input ? parameter(row.internal) : result(row.internal));
            if (row.sliced) {
                set(element, "axis", std::to_string(row.axis));
                set(element, "start", std::to_string(row.start));
                set(element, "end", std::to_string(row.end));
                set(element, "stride", std::to_string(row.stride));
                set(element, "part_size", std::to_string(row.part_size));
            }
        }
    }

    void write_purpose(pugi::xml_node map,
                       const char* what,
                       const char* purpose,
                       const std::string& id) {
        pugi::xml_node element = map.append_child(what);
        set(element, "external_port_id", "-1");
        set(element, "internal_layer_id", id);
        set(element, "purpose", purpose);
    }

    static void set(pugi::xml_node node, const char* name, const std::string& value) {
        node.append_attribute(name).set_value(value.c_str());
    }

private:
    std::string id(const Node* node) const { return std::to_string(graph_.id(node)); }

    const Node& node_;
    const std::shared_ptr<Model>& body_;
    IrGraphWriter graph_;
};

void write_iteration(pugi::xml_node layer,
                     const Node& node,
                     const IterationAttrs& attrs,
                     WeightsWriter& weights) {
    BodyWriter body(node, attrs.body, weights);
    pugi::xml_node map = layer.append_child("port_map");
    pugi::xml_node back = layer.append_child("back_edges");
    body.write(layer.append_child("body"));
    body.write_rows(map, "input", attrs.input_map);
    body.write_rows(map, "output", attrs.output_map);
    if (attrs.current_iteration >= 0) {
        body.write_purpose(map, "input", "current_iteration",
                           body.parameter(attrs.current_iteration));
    }
    if (attrs.execution_condition >= 0) {
        body.write_purpose(map, "output", "execution_condition",
                           body.result(attrs.execution_condition));
    }
    for (std::size_t i = 0; i + 1 < attrs.back_edges.size(); i += 2) {
        pugi::xml_node edge = back.append_child("edge");
        BodyWriter::set(edge, "from-layer", body.result(attrs.back_edges[i]));
        BodyWriter::set(edge, "to-layer", body.parameter(attrs.back_edges[i + 1]));
    }
}

}  // namespace

bool write_ir_subgraphs(pugi::xml_node layer, const Node& node, WeightsWriter& weights) {
    if (const auto* iteration = dynamic_cast<const IterationAttrs*>(&node.attributes())) {
        write_iteration(layer, node, *iteration, weights);
        return true;
    }
    if (const auto* branches = dynamic_cast<const IfAttrs*>(&node.attributes())) {
        BodyWriter then_body(node, branches->then_body, weights);
        BodyWriter else_body(node, branches->else_body, weights);
        then_body.write(layer.append_child("then_body"));
        else_body.write(layer.append_child("else_body"));
        pugi::xml_node then_map = layer.append_child("then_port_map");
        then_body.write_rows(then_map, "input", branches->then_inputs);
        then_body.write_rows(then_map, "output", branches->then_outputs);
        pugi::xml_node else_map = layer.append_child("else_port_map");
        else_body.write_rows(else_map, "input", branches->else_inputs);
        else_body.write_rows(else_map, "output", branches->else_outputs);
        return true;
    }
    return false;
}

}  // namespace fuseq
