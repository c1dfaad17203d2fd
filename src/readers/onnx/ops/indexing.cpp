// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Elements by index.
#include "readers/onnx/operator_table.hpp"

namespace fuseq::onnx_reader::indexing_operators {
namespace {

using Outputs = std::vector<Output>;

Outputs gather(Operator& op) {
    return {op.add("Gather",
                   {op.input(0), op.input(1), op.int_scalar(op.attributes.integer("axis", 0))})};
}

// In ONNX indices may be smaller than the data beside the axis, and take its beginning.
Output beginning_of(Operator& op, const Output& data, const Output& indices, std::int64_t axis) {
    const PartialShape& have = data.partial_shape();
    const PartialShape& want = indices.partial_shape();
    if (!have.rank_is_static() || !want.rank_is_static() || have.rank() != want.rank()) {
        return data;
    }
    std::vector<std::int64_t> axes;
    std::vector<std::int64_t> ends;
    for (std::size_t d = 0; d < have.rank(); ++d) {
        const bool known = have[d].is_static() && want[d].is_static();
        if (known && d != op.axis(axis, have.rank()) &&
            want[d].get_length() < have[d].get_length()) {
            axes.push_back(static_cast<std::int64_t>(d));
            ends.push_back(want[d].get_length());
        }
    }
    if (axes.empty()) {
        return data;
    }
    const std::size_t count = axes.size();
    return op.add("Slice",
                  {data, op.int_list(std::vector<std::int64_t>(count, 0)), op.int_list(ends),
                   op.int_list(std::vector<std::int64_t>(count, 1)), op.int_list(axes)});
}

Outputs gather_elements(Operator& op) {
    const std::int64_t axis = op.attributes.integer("axis", 0);
    return {op.add("GatherElements",
                   {beginning_of(op, op.input(0), op.input(1), axis), op.input(1)},
                   {{"axis", axis}})};
}

Outputs gather_nd(Operator& op) {
    return {op.add("GatherND", {op.input(0), op.input(1)},
                   {{"batch_dims", op.attributes.integer("batch_dims", 0)}})};
}

std::string reduction_of(const Operator& op) {
    const std::string name = op.attributes.text("reduction", "none");
    const std::string model = name == "add" ? "sum" : name == "mul" ? "prod" : name;
    op.require(name == "none" || name == "add" || name == "mul" || name == "min" || name == "max",
               "attribute reduction is '", name, "', expected none, add, mul, min or max");
    return model;
}

Outputs scatter_elements(Operator& op) {
    return {op.add(
        "ScatterElementsUpdate",
        {op.input(0), op.input(1), op.input(2), op.int_scalar(op.attributes.integer("axis", 0))},
        {{"reduction", reduction_of(op)}})};
}

Outputs scatter_nd(Operator& op) {
    return {op.add("ScatterNDUpdate", {op.input(0), op.input(1), op.input(2)},
                   {{"reduction", reduction_of(op)}})};
}

// Slices where the condition holds; without an axis, elements of the flattened input.
Outputs compress(Operator& op) {
    const bool flat = !op.attributes.has("axis");
    const Output x = flat ? op.reshape(op.input(0), {-1}) : op.input(0);
    const Output where = op.add("NonZero", {op.input(1)}, {{"output_type", ElementType::i64}});
    return {op.add("Gather",
                   {x, op.squeeze(where, {0}), op.int_scalar(op.attributes.integer("axis", 0))})};
}

Outputs non_zero(Operator& op) {
    return {op.add("NonZero", {op.input(0)}, {{"output_type", ElementType::i64}})};
}

Output one_value(Operator& op, const Output& value) {
    return op.rank(value) == 0 ? value : op.reshape(value, {});
}

// values is [off, on].
Outputs one_hot(Operator& op) {
    const Output values = op.input(2);
    const auto pick = [&](std::int64_t i) {
        return op.add("Gather", {values, op.int_scalar(i), op.int_scalar(0)});
    };
    const Output depth = one_value(op, op.convert(op.input(1), ElementType::i64));
    return {op.add("OneHot", {op.convert(op.input(0), ElementType::i64), depth, pick(1), pick(0)},
                   {{"axis", op.attributes.integer("axis", -1)},
                    {"negative_indices_mode", std::string("normalize")}})};
}

Outputs cum_sum(Operator& op) {
    return {op.add("CumSum", {op.input(0), one_value(op, op.input(1))},
                   {{"exclusive", op.attributes.integer("exclusive", 0) != 0},
                    {"reverse", op.attributes.integer("reverse", 0) != 0}})};
}

const OperatorRow kRows[] = {
    {.type = "Gather", .since = 1, .translate = gather},
    {.type = "GatherElements", .since = 11, .translate = gather_elements},
    {.type = "GatherND", .since = 11, .translate = gather_nd},
    {.type = "Scatter", .since = 9, .translate = scatter_elements},
    {.type = "ScatterElements", .since = 11, .translate = scatter_elements},
    {.type = "ScatterND", .since = 11, .translate = scatter_nd},
    {.type = "Compress", .since = 9, .translate = compress},
    {.type = "NonZero", .since = 9, .translate = non_zero},
    {.type = "OneHot", .since = 9, .translate = one_hot},
    {.type = "CumSum", .since = 11, .translate = cum_sum},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::indexing_operators
