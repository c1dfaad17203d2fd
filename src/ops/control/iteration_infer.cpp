// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/control/iteration.hpp"
#include "ops/control/slices.hpp"

namespace fuseq {
namespace {

struct BackEdge {
    std::size_t result;
    std::size_t parameter;
};

std::vector<BackEdge> checked_back_edges(const InferContext& context, const IterationAttrs& attrs) {
    context.require(attrs.back_edges.size() % 2 == 0, "back_edges has ", attrs.back_edges.size(),
                    " numbers, expected pairs");
    const auto results = static_cast<std::int64_t>(attrs.body->results().size());
    const auto parameters = static_cast<std::int64_t>(attrs.body->parameters().size());
    std::vector<BackEdge> edges;
    for (std::size_t i = 0; i < attrs.back_edges.size(); i += 2) {
        const std::int64_t from = attrs.back_edges[i];
        const std::int64_t to = attrs.back_edges[i + 1];
        context.require(from >= 0 && from < results && to >= 0 && to < parameters,
                        "back_edges has the pair ", from, ",", to, ", but the body has ", results,
                        " results and ", parameters, " inputs");
        edges.push_back({static_cast<std::size_t>(from), static_cast<std::size_t>(to)});
    }
    return edges;
}

// The shape of one part of a sliced input.
PartialShape part_shape(const InferContext& context, const PortMapRow& row) {
    PartialShape shape = context.shape(static_cast<std::size_t>(row.external));
    if (shape.rank_is_static()) {
        shape[context.normalize_axis(row.axis, shape.rank(), "axis of input_map")] = row.part_size;
    }
    return shape;
}

void check_special_ports(const InferContext& context, const IterationAttrs& attrs) {
    const auto parameters = static_cast<std::int64_t>(attrs.body->parameters().size());
    const auto results = static_cast<std::int64_t>(attrs.body->results().size());
    context.require(attrs.current_iteration >= -1 && attrs.current_iteration < parameters,
                    "current_iteration is ", attrs.current_iteration, ", but the body has ",
                    parameters, " inputs");
    context.require(attrs.execution_condition >= -1 && attrs.execution_condition < results,
                    "execution_condition is ", attrs.execution_condition, ", but the body has ",
                    results, " results");
    if (attrs.current_iteration >= 0) {
        const OutputPort& port =
            attrs.body->parameters()[static_cast<std::size_t>(attrs.current_iteration)]->port();
        context.require(port.type == ElementType::i32 || port.type == ElementType::i64,
                        "current_iteration is ", to_string(port.type), ", expected i32 or i64");
        context.require(port.shape.compatible({}) || port.shape.compatible({1}),
                        "current_iteration has shape ", to_string(port.shape),
                        ", expected one element");
    }
}

void set_first_shapes(const InferContext& context, const IterationAttrs& attrs) {
    std::vector<std::int64_t> sourced;
    for (const PortMapRow& row :
         checked_rows(context, "input_map", attrs.input_map,
                      {context.input_count(), attrs.body->parameters().size()})) {
        const auto from = static_cast<std::size_t>(row.external);
        set_body_input(context, *attrs.body, static_cast<std::size_t>(row.internal),
                       context.type(from),
                       row.sliced ? part_shape(context, row) : context.shape(from));
        sourced.push_back(row.internal);
    }
    if (attrs.current_iteration >= 0) {
        sourced.push_back(attrs.current_iteration);
    }
    require_all_inputs(context, "input_map", *attrs.body, std::move(sourced));
}

// What differs between a and b becomes entirely open, so that repeating this ends.
PartialShape widened(const PartialShape& a, const PartialShape& b) {
    PartialShape shape = hull(a, b);
    if (shape.rank_is_static()) {
        for (std::size_t i = 0; i < shape.rank(); ++i) {
            if (shape[i] != a[i]) {
                shape[i] = Dimension::dynamic();
            }
        }
    }
    return shape;
}

// Infers the body until no back edge brings a shape that its Parameter does not allow.
void settle_shapes(const InferContext& context,
                   const IterationAttrs& attrs,
                   std::optional<std::int64_t> iterations) {
    const std::vector<BackEdge> edges = checked_back_edges(context, attrs);
    Model& body = *attrs.body;
    for (bool changed = true; changed;) {
        body.validate();
        changed = false;
        for (const BackEdge& edge : edges) {
            const OutputPort& from = body.results()[edge.result]->port();
            const OutputPort& to = body.parameters()[edge.parameter]->port();
            context.require(from.type == to.type, "back edge from '",
                            body.results()[edge.result]->name(), "' of ", to_string(from.type),
                            " to '", body.parameters()[edge.parameter]->name(), "' of ",
                            to_string(to.type));
            if (iterations && *iterations <= 1) {
                continue;
            }
            changed |= set_body_input(context, body, edge.parameter, to.type,
                                      widened(to.shape, from.shape));
        }
    }
}

// The type and shape of the output that `row` names.
void set_row_output(InferContext& context,
                    const IterationAttrs& attrs,
                    const PortMapRow& row,
                    std::optional<std::int64_t> iterations) {
    const auto result = static_cast<std::size_t>(row.internal);
    const OutputPort& port = attrs.body->results()[result]->port();
    const auto external = static_cast<std::size_t>(row.external);
    PartialShape shape = port.shape;
    if (row.sliced && shape.rank_is_static()) {
        const std::size_t axis =
            context.normalize_axis(row.axis, shape.rank(), "axis of output_map");
        context.require(shape[axis].compatible(row.part_size), "output_map has part_size ",
                        row.part_size, ", but the parts have shape ", to_string(shape));
        shape[axis] =
            iterations ? Dimension(*iterations) * Dimension(row.part_size) : Dimension::dynamic();
    } else if (!row.sliced && !(iterations && *iterations > 0)) {
        // Without any iteration the output is the first value of the Parameter.
        for (const BackEdge& edge : checked_back_edges(context, attrs)) {
            if (edge.result == result) {
                shape = hull(shape, attrs.body->parameters()[edge.parameter]->port().shape);
            }
        }
    }
    context.set_output(external, port.type, shape);
}

}  // namespace

std::optional<std::int64_t> inferred_parts(const InferContext& context) {
    const auto& attrs = context.attrs<IterationAttrs>();
    context.require(attrs.body != nullptr, "has no body");
    std::optional<std::int64_t> parts;
    for (const PortMapRow& row :
         checked_rows(context, "input_map", attrs.input_map,
                      {context.input_count(), attrs.body->parameters().size()})) {
        if (!row.sliced) {
            continue;
        }
        const PartialShape& shape = context.shape(static_cast<std::size_t>(row.external));
        if (!shape.rank_is_static()) {
            continue;
        }
        const std::size_t axis =
            context.normalize_axis(row.axis, shape.rank(), "axis of input_map");
        if (shape[axis].is_dynamic()) {
            continue;
        }
        std::string why;
        const auto slices = plan_slices(row, shape[axis].get_length(), why);
        context.require(slices.has_value(), "input_map: ", why);
        context.require(!parts || *parts == slices->count, "inputs are cut into ",
                        parts.value_or(0), " and into ", slices ? slices->count : 0, " parts");
        parts = slices->count;
    }
    return parts;
}

void infer_iteration(InferContext& context, std::optional<std::int64_t> iterations) {
    const auto& attrs = context.attrs<IterationAttrs>();
    context.require(attrs.body != nullptr, "has no body");
    set_first_shapes(context, attrs);
    settle_shapes(context, attrs, iterations);
    check_special_ports(context, attrs);
    const std::size_t results = attrs.body->results().size();
    // Several outputs may show one Result, so the count of outputs has no such limit.
    const auto rows =
        checked_rows(context, "output_map", attrs.output_map, {attrs.output_map.size(), results});
    const std::size_t outputs = mapped_outputs(rows);
    context.set_output_count(outputs);
    std::vector<bool> named(outputs, false);
    for (const PortMapRow& row : rows) {
        named[static_cast<std::size_t>(row.external)] = true;
        set_row_output(context, attrs, row, iterations);
    }
    const auto missing = std::find(named.begin(), named.end(), false);
    context.require(missing == named.end(), "output_map has no row for output ",
                    missing - named.begin());
}

}  // namespace fuseq
