// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Scan, from operator set 9 on, as a TensorIterator. What the body sees of a scanned input lacks
// the axis that is scanned; a TensorIterator leaves it there with size 1.
#include "ops/control/subgraph.hpp"
#include "ops/parameter.hpp"
#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/bodies.hpp"

namespace fuseq::onnx_reader::scan_operators {
namespace {

using Outputs = std::vector<Output>;

// Takes the axis away between the Parameter and what reads it.
void squeeze_parameter(Model& body, std::size_t parameter, std::int64_t axis) {
    fuseq::Node* node = body.parameters()[parameter];
    const std::vector<Use> uses = node->port(0).uses;
    node->attrs<ParameterAttrs>().shape = PartialShape::dynamic();
    node->infer();
    const Output at =
        body.add_constant(body.unique_name("scan_axis"), Tensor::of<std::int64_t>(Shape{1}, {axis}))
            ->output();
    const Output part =
        body.add("Squeeze", 1, body.unique_name("scan_part"), {node->output(), at})->output();
    for (const Use& use : uses) {
        use.node->set_input(use.index, part);
    }
}

// One entry for each of `count`, 0 where the attribute is not there.
std::vector<std::int64_t> list(const Operator& op, const char* name, std::size_t count) {
    std::vector<std::int64_t> values = op.attributes.integers(name);
    op.require(values.empty() || values.size() == count, "attribute ", name, " has ", values.size(),
               " values, expected ", count);
    values.resize(count);
    return values;
}

PortMapRow part_row(const Operator& op,
                    std::size_t external,
                    std::size_t internal,
                    std::int64_t axis,
                    std::int64_t direction) {
    op.require(direction == 0 || direction == 1, "a direction is ", direction, ", expected 0 or 1");
    PortMapRow row{.external = static_cast<std::int64_t>(external),
                   .internal = static_cast<std::int64_t>(internal),
                   .sliced = true,
                   .axis = axis};
    if (direction == 1) {
        row.start = -1;
        row.end = 0;
        row.stride = -1;
    }
    return row;
}

void map_inputs(Operator& op, const Body& body, std::size_t states, IterationAttrs& attributes) {
    const std::size_t scanned = op.input_count() - states;
    const auto axes = list(op, "scan_input_axes", scanned);
    const auto directions = list(op, "scan_input_directions", scanned);
    for (std::size_t i = 0; i < states; ++i) {
        const auto at = static_cast<std::int64_t>(i);
        PortMap::append(attributes.input_map, {.external = at, .internal = at});
        attributes.back_edges.insert(attributes.back_edges.end(), {at, at});
    }
    for (std::size_t i = 0; i < scanned; ++i) {
        const std::size_t at = states + i;
        const auto axis =
            static_cast<std::int64_t>(op.axis(axes[i], op.rank(op.input(at), "a scanned input")));
        squeeze_parameter(*body.model, at, axis);
        PortMap::append(attributes.input_map, part_row(op, at, at, axis, directions[i]));
    }
}

void map_outputs(Operator& op, const Body& body, std::size_t states, IterationAttrs& attributes) {
    const std::size_t joined = body.model->results().size() - states;
    const auto axes = list(op, "scan_output_axes", joined);
    const auto directions = list(op, "scan_output_directions", joined);
    for (std::size_t i = 0; i < states; ++i) {
        const auto at = static_cast<std::int64_t>(i);
        PortMap::append(attributes.output_map, {.external = at, .internal = at});
    }
    for (std::size_t i = 0; i < joined; ++i) {
        const std::size_t at = states + i;
        std::int64_t axis = axes[i];
        if (axis < 0) {
            const Output value = body.model->results()[at]->input(0);
            axis = static_cast<std::int64_t>(op.axis(axis, op.rank(value, "a joined output") + 1));
        }
        unsqueeze_result(*body.model, at, axis);
        PortMap::append(attributes.output_map, part_row(op, at, at, axis, directions[i]));
    }
}

Outputs scan(Operator& op) {
    const std::int64_t scanned = op.attributes.required_integer("num_scan_inputs");
    const std::size_t count = op.input_count();
    op.require(scanned > 0 && static_cast<std::size_t>(scanned) <= count,
               "attribute num_scan_inputs is ", scanned, ", the node has ", count, " inputs");
    const std::size_t states = count - static_cast<std::size_t>(scanned);
    std::vector<Output> inputs;
    std::vector<ElementType> types;
    for (std::size_t i = 0; i < count; ++i) {
        inputs.push_back(op.input(i));
        types.push_back(op.input(i).type());
    }
    const Body body = op.graph().read_body(op.attributes.graph("body"), types, op.place());
    op.require(body.own_inputs == count, "the body has ", body.own_inputs, " inputs, expected ",
               count);
    op.require(body.model->results().size() >= states, "the body has ",
               body.model->results().size(), " outputs, expected ", states, " or more");
    IterationAttrs attributes;
    map_outputs(op, body, states, attributes);
    map_inputs(op, body, states, attributes);
    add_captured(body, inputs, attributes.input_map);
    attributes.body = body.model;
    return all_outputs(op.node("TensorIterator", std::move(inputs), attributes.clone()));
}

const OperatorRow kRows[] = {
    {.type = "Scan", .since = 9, .translate = scan},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::scan_operators
