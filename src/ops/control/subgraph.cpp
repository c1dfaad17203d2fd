// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/control/subgraph.hpp"

#include <algorithm>

#include "ops/parameter.hpp"

namespace fuseq {
namespace {

std::shared_ptr<Model> copy_of(const std::shared_ptr<Model>& body) {
    return body ? body->clone() : nullptr;
}

Dimension hull(const Dimension& a, const Dimension& b) {
    const std::int64_t low = std::min(a.get_min_length(), b.get_min_length());
    if (a.get_max_length() == Dimension::kUnbounded ||
        b.get_max_length() == Dimension::kUnbounded) {
        return {low, Dimension::kUnbounded};
    }
    return {low, std::max(a.get_max_length(), b.get_max_length())};
}

}  // namespace

std::vector<PortMapRow> PortMap::rows(const std::vector<std::int64_t>& flat) {
    std::vector<PortMapRow> result;
    for (std::size_t i = 0; i + kRowSize <= flat.size(); i += kRowSize) {
        result.push_back({.external = flat[i],
                          .internal = flat[i + 1],
                          .sliced = flat[i + 2] != 0,
                          .axis = flat[i + 3],
                          .start = flat[i + 4],
                          .end = flat[i + 5],
                          .stride = flat[i + 6],
                          .part_size = flat[i + 7]});
    }
    return result;
}

void PortMap::append(std::vector<std::int64_t>& flat, const PortMapRow& row) {
    const std::int64_t values[] = {row.external, row.internal, row.sliced ? 1 : 0, row.axis,
                                   row.start,    row.end,      row.stride,         row.part_size};
    flat.insert(flat.end(), std::begin(values), std::end(values));
}

std::unique_ptr<Attributes> IterationAttrs::clone() const {
    auto copy = std::make_unique<IterationAttrs>(*this);
    copy->body = copy_of(body);
    return copy;
}

std::unique_ptr<Attributes> IfAttrs::clone() const {
    auto copy = std::make_unique<IfAttrs>(*this);
    copy->then_body = copy_of(then_body);
    copy->else_body = copy_of(else_body);
    return copy;
}

std::vector<PortMapRow> checked_rows(const InferContext& context,
                                     const char* what,
                                     const std::vector<std::int64_t>& flat,
                                     PortLimits limits) {
    context.require(PortMap::well_formed(flat), what, " has ", flat.size(),
                    " numbers, expected a multiple of ", PortMap::kRowSize);
    std::vector<PortMapRow> rows = PortMap::rows(flat);
    const auto check = [&](const char* side, std::int64_t position, std::size_t count) {
        context.require(position >= 0 && position < static_cast<std::int64_t>(count), what,
                        " names ", side, " ", position, ", but there are ", count);
    };
    for (const PortMapRow& row : rows) {
        check("port", row.external, limits.externals);
        check("body port", row.internal, limits.internals);
        context.require(!row.sliced || row.stride != 0, what, " has stride 0");
        context.require(!row.sliced || row.part_size > 0, what, " has part_size ", row.part_size,
                        ", expected 1 or more");
    }
    return rows;
}

std::size_t mapped_outputs(const std::vector<PortMapRow>& rows) {
    std::int64_t count = 0;
    for (const PortMapRow& row : rows) {
        count = std::max(count, row.external + 1);
    }
    return static_cast<std::size_t>(count);
}

bool set_body_input(const InferContext& context,
                    Model& body,
                    std::size_t parameter,
                    ElementType type,
                    const PartialShape& shape) {
    Node& node = *body.parameters().at(parameter);
    auto& attrs = node.attrs<ParameterAttrs>();
    context.require(attrs.element_type == type, "input '", node.name(), "' of the body is ",
                    to_string(attrs.element_type), ", but gets ", to_string(type));
    const bool changed = !(attrs.shape == shape);
    attrs.shape = shape;
    return changed;
}

void require_all_inputs(const InferContext& context,
                        const char* what,
                        const Model& body,
                        std::vector<std::int64_t> sourced) {
    std::sort(sourced.begin(), sourced.end());
    const auto twice = std::adjacent_find(sourced.begin(), sourced.end());
    context.require(twice == sourced.end(), what, " feeds input ",
                    twice == sourced.end() ? 0 : *twice, " of the body twice");
    for (std::size_t i = 0; i < body.parameters().size(); ++i) {
        context.require(i < sourced.size() && sourced[i] == static_cast<std::int64_t>(i), what,
                        " leaves input '", body.parameters()[i]->name(),
                        "' of the body without a source");
    }
}

PartialShape hull(const PartialShape& a, const PartialShape& b) {
    if (!a.rank_is_static() || !b.rank_is_static() || a.rank() != b.rank()) {
        return PartialShape::dynamic();
    }
    PartialShape result = a;
    for (std::size_t i = 0; i < a.rank(); ++i) {
        result[i] = hull(a[i], b[i]);
    }
    return result;
}

}  // namespace fuseq
