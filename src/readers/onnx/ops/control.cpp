// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// If and Loop. Values of the graph around a body become inputs of the operation.
#include <limits>

#include "ops/control/subgraph.hpp"
#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/bodies.hpp"

namespace fuseq::onnx_reader::control_operators {
namespace {

using Outputs = std::vector<Output>;

void map_results(const Body& body, std::vector<std::int64_t>& output_map) {
    for (std::size_t i = 0; i < body.model->results().size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        PortMap::append(output_map, {.external = at, .internal = at});
    }
}

Output condition_scalar(Operator& op, const Output& condition) {
    const PartialShape& shape = condition.partial_shape();
    return shape.rank_is_static() && shape.rank() > 1 ? op.reshape(condition, {1}) : condition;
}

Outputs if_node(Operator& op) {
    IfAttrs attributes;
    std::vector<Output> inputs{condition_scalar(op, op.input(0))};
    const Body then_body = op.graph().read_body(op.attributes.graph("then_branch"), {}, op.place());
    const Body else_body = op.graph().read_body(op.attributes.graph("else_branch"), {}, op.place());
    add_captured(then_body, inputs, attributes.then_inputs);
    add_captured(else_body, inputs, attributes.else_inputs);
    map_results(then_body, attributes.then_outputs);
    map_results(else_body, attributes.else_outputs);
    attributes.then_body = then_body.model;
    attributes.else_body = else_body.model;
    return all_outputs(op.node("If", std::move(inputs), attributes.clone()));
}

Outputs loop(Operator& op) {
    constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
    const std::size_t carried = op.input_count() < 2 ? 0 : op.input_count() - 2;
    std::vector<ElementType> types{ElementType::i64, ElementType::boolean};
    std::vector<Output> inputs{
        op.has_input(0) ? op.input(0) : op.int_scalar(kNoLimit),
        op.has_input(1) ? condition_scalar(op, op.input(1)) : op.scalar(1, ElementType::boolean)};
    for (std::size_t i = 0; i < carried; ++i) {
        inputs.push_back(op.input(i + 2));
        types.push_back(op.input(i + 2).type());
    }
    const Body body = op.graph().read_body(op.attributes.graph("body"), types, op.place());
    op.require(body.own_inputs == carried + 2, "the body has ", body.own_inputs,
               " inputs, expected ", carried + 2);
    const std::size_t results = body.model->results().size();
    op.require(results >= carried + 1, "the body has ", results, " outputs, expected ", carried + 1,
               " or more");
    IterationAttrs attributes;
    attributes.current_iteration = 0;
    attributes.execution_condition = 0;
    for (std::size_t i = 1; i < carried + 2; ++i) {
        const auto at = static_cast<std::int64_t>(i);
        PortMap::append(attributes.input_map, {.external = at, .internal = at});
        // Result i - 1 (the condition, then what is carried) is Parameter i of the next iteration.
        attributes.back_edges.insert(attributes.back_edges.end(), {at - 1, at});
    }
    add_captured(body, inputs, attributes.input_map);
    for (std::size_t i = 1; i < results; ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const bool scan = i > carried;
        if (scan) {
            unsqueeze_result(*body.model, i, 0);
        }
        PortMap::append(attributes.output_map,
                        {.external = at - 1, .internal = at, .sliced = scan});
    }
    attributes.body = body.model;
    return all_outputs(op.node("Loop", std::move(inputs), attributes.clone()));
}

const OperatorRow kRows[] = {
    {.type = "If", .since = 1, .translate = if_node},
    {.type = "Loop", .since = 1, .translate = loop},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::control_operators
