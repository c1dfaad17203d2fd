// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// TensorIterator, Loop and If: bodies are graphs like <net>; port maps connect the ports of the
// layer, by id, with the Parameters and Results of the body, by layer id. The attribute structs
// hold positions instead.
#include <algorithm>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "ir/ir_builder.hpp"
#include "ops/control/subgraph.hpp"

namespace fuseq {
namespace {

// One body of a layer, with what is needed to resolve ids.
class BodyReader {
public:
    BodyReader(IrContext& context, const IrLayer& layer, const char* element, std::size_t depth)
        : context_(context),
          layer_(layer),
          element_(element),
          builder_(context, body_of(context, layer, element), depth + 1) {
        model_ = builder_.build(fmt::format("{}/{}", layer.name, element));
    }

    std::shared_ptr<Model> model() const { return model_; }

    std::int64_t parameter(pugi::xml_node node, const char* attribute) const {
        return position(node, attribute, model_->parameters(), "Parameter");
    }
    std::int64_t result(pugi::xml_node node, const char* attribute) const {
        return position(node, attribute, model_->results(), "Result");
    }

private:
    static pugi::xml_node body_of(IrContext& context, const IrLayer& layer, const char* element) {
        const pugi::xml_node body = layer.xml.child(element);
        if (!body) {
            context.source.fail(layer, fmt::format("has no <{}>", element));
        }
        return body;
    }

    std::int64_t position(pugi::xml_node node,
                          const char* attribute,
                          const std::vector<Node*>& among,
                          const char* what) const {
        const std::int64_t id =
            required_int(node, attribute, fmt::format("layer '{}': <{}>", layer_.name, node.name()),
                         context_.source);
        const auto layer = builder_.graph().find(id);
        const auto found =
            layer ? std::find(among.begin(), among.end(), builder_.node(*layer)) : among.end();
        if (found == among.end()) {
            context_.source.fail(layer_, fmt::format("<{}> has {} {}, which is no {} of <{}>",
                                                     node.name(), attribute, id, what, element_));
        }
        return found - among.begin();
    }

    IrContext& context_;
    const IrLayer& layer_;
    const char* element_;
    IrBuilder builder_;
    std::shared_ptr<Model> model_;
};

// The port of the layer that a row names.
std::int64_t external_port(const IrSource& source, const IrLayer& layer, pugi::xml_node row) {
    const bool input = std::string_view(row.name()) == "input";
    const std::int64_t id = required_int(
        row, "external_port_id", fmt::format("layer '{}': <{}>", layer.name, row.name()), source);
    const std::vector<IrPort>& ports = input ? layer.inputs : layer.outputs;
    const auto found =
        std::find_if(ports.begin(), ports.end(), [&](const IrPort& port) { return port.id == id; });
    if (found == ports.end()) {
        source.fail(layer,
                    fmt::format("<{}> has external_port_id {}, which is no {} port of the layer",
                                row.name(), id, row.name()));
    }
    return found - ports.begin();
}

void read_number(const IrSource& source,
                 pugi::xml_node row,
                 const char* name,
                 std::int64_t& value) {
    if (row.attribute(name)) {
        value = required_int(row, name, fmt::format("<{}>", row.name()), source);
    }
}

PortMapRow read_row(const IrContext& context,
                    const IrLayer& layer,
                    const BodyReader& body,
                    pugi::xml_node node) {
    PortMapRow row;
    row.external = external_port(context.source, layer, node);
    row.internal = std::string_view(node.name()) == "input"
                       ? body.parameter(node, "internal_layer_id")
                       : body.result(node, "internal_layer_id");
    row.sliced = bool(node.attribute("axis"));
    read_number(context.source, node, "axis", row.axis);
    read_number(context.source, node, "start", row.start);
    read_number(context.source, node, "end", row.end);
    read_number(context.source, node, "stride", row.stride);
    read_number(context.source, node, "part_size", row.part_size);
    // Writers leave axis -1 on rows that are not sliced.
    if (row.axis < 0) {
        row = {.external = row.external, .internal = row.internal};
    }
    return row;
}

void read_iteration(IrContext& context,
                    const IrLayer& layer,
                    IterationAttrs& attrs,
                    std::size_t depth) {
    const BodyReader body(context, layer, "body", depth);
    attrs.body = body.model();
    for (const pugi::xml_node node : layer.xml.child("port_map").children()) {
        const std::string_view purpose = node.attribute("purpose").value();
        const bool input = std::string_view(node.name()) == "input";
        // Such rows have external_port_id -1.
        if (purpose == "current_iteration" && input) {
            attrs.current_iteration = body.parameter(node, "internal_layer_id");
            continue;
        }
        if (purpose == "execution_condition" && !input) {
            attrs.execution_condition = body.result(node, "internal_layer_id");
            if (node.attribute("external_port_id").as_llong(-1) < 0) {
                continue;
            }
        }
        PortMap::append(input ? attrs.input_map : attrs.output_map,
                        read_row(context, layer, body, node));
    }
    for (const pugi::xml_node edge : layer.xml.child("back_edges").children("edge")) {
        attrs.back_edges.push_back(body.result(edge, "from-layer"));
        attrs.back_edges.push_back(body.parameter(edge, "to-layer"));
    }
}

// The elements of one branch of an If, and where their content goes.
struct Branch {
    const char* body;
    const char* port_map;
    std::shared_ptr<Model>& model;
    std::vector<std::int64_t>& inputs;
    std::vector<std::int64_t>& outputs;
};

void read_branch(IrContext& context,
                 const IrLayer& layer,
                 const Branch& branch,
                 std::size_t depth) {
    const BodyReader body(context, layer, branch.body, depth);
    branch.model = body.model();
    for (const pugi::xml_node node : layer.xml.child(branch.port_map).children()) {
        const bool input = std::string_view(node.name()) == "input";
        PortMap::append(input ? branch.inputs : branch.outputs,
                        read_row(context, layer, body, node));
    }
}

}  // namespace

bool read_ir_subgraphs(IrContext& context,
                       const IrLayer& layer,
                       Attributes& attributes,
                       std::size_t depth) {
    if (auto* iteration = dynamic_cast<IterationAttrs*>(&attributes)) {
        read_iteration(context, layer, *iteration, depth);
    } else if (auto* branches = dynamic_cast<IfAttrs*>(&attributes)) {
        read_branch(context, layer,
                    {"then_body", "then_port_map", branches->then_body, branches->then_inputs,
                     branches->then_outputs},
                    depth);
        read_branch(context, layer,
                    {"else_body", "else_port_map", branches->else_body, branches->else_inputs,
                     branches->else_outputs},
                    depth);
    } else {
        return false;
    }
    return true;
}

}  // namespace fuseq
