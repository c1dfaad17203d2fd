// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Subgraphs: chosen by a condition, or repeated.
#include "ops/control/subgraph.hpp"

#include <limits>

#include "readers/tflite/operator_table.hpp"

namespace fuseq::tflite_reader::control_operators {
namespace {

Output one_condition(Operator& op, const Output& condition) {
    return op.rank(condition, "the condition") > 1 ? op.reshape(condition, {1}) : condition;
}

Values if_operator(Operator& op) {
    const auto& options = op.options<::tflite::IfOptions>();
    std::vector<Output> inputs{one_condition(op, op.input(0))};
    for (std::size_t i = 1; i < op.input_count(); ++i) {
        inputs.push_back(op.input(i));
    }
    const std::vector<Output> given(inputs.begin() + 1, inputs.end());
    IfAttrs attributes;
    attributes.then_body =
        op.graph().read_body(options.then_subgraph_index(), given, -1, op.place());
    attributes.else_body =
        op.graph().read_body(options.else_subgraph_index(), given, -1, op.place());
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        PortMap::append(attributes.then_inputs, {.external = at + 1, .internal = at});
        PortMap::append(attributes.else_inputs, {.external = at + 1, .internal = at});
    }
    for (std::size_t i = 0; i < op.output_count(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        PortMap::append(attributes.then_outputs, {.external = at, .internal = at});
        PortMap::append(attributes.else_outputs, {.external = at, .internal = at});
    }
    return outputs_of(op.node("If", std::move(inputs), attributes.clone()));
}

// The condition is asked before the first iteration, and after each with the values it gave.
Values while_operator(Operator& op) {
    const auto& options = op.options<::tflite::WhileOptions>();
    const std::vector<Output> carried = op.inputs();
    const std::vector<Output> first =
        op.graph().insert_subgraph(options.cond_subgraph_index(), carried, op.place());
    op.require(first.size() == 1, "the condition has ", first.size(), " outputs, expected 1");
    IterationAttrs attributes;
    attributes.current_iteration = -1;
    attributes.execution_condition = 0;
    attributes.body = op.graph().read_body(options.body_subgraph_index(), carried,
                                           options.cond_subgraph_index(), op.place());
    op.require(attributes.body->results().size() == carried.size() + 1, "the body has ",
               attributes.body->results().size() - 1, " outputs, expected ", carried.size());
    std::vector<Output> inputs{op.int_scalar(std::numeric_limits<std::int64_t>::max()),
                               one_condition(op, first[0])};
    for (std::size_t i = 0; i < carried.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        inputs.push_back(carried[i]);
        PortMap::append(attributes.input_map, {.external = at + 2, .internal = at});
        attributes.back_edges.insert(attributes.back_edges.end(), {at + 1, at});
        PortMap::append(attributes.output_map, {.external = at, .internal = at + 1});
    }
    return outputs_of(op.node("Loop", std::move(inputs), attributes.clone()));
}

const OperatorRow kRows[] = {
    {.type = "IF", .newest = 1, .translate = if_operator},
    {.type = "WHILE", .newest = 1, .translate = while_operator},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::control_operators
