// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Order and sorting.
#include <limits>

#include "readers/onnx/operator_table.hpp"

namespace fuseq::onnx_reader::sorting_operators {
namespace {

using Outputs = std::vector<Output>;

fuseq::Node* top_k(
    Operator& op, const Output& x, const Output& k, std::int64_t axis, bool largest, bool sorted) {
    return op.node("TopK", {x, k},
                   {{"axis", axis},
                    {"mode", std::string(largest ? "max" : "min")},
                    {"sort", std::string(sorted ? "value" : "none")},
                    {"index_element_type", ElementType::i64}});
}

Outputs top_k_by_attribute(Operator& op) {
    fuseq::Node* node = top_k(op, op.input(0), op.int_scalar(op.attributes.required_integer("k")),
                              op.attributes.integer("axis", -1), true, true);
    return {node->output(0), node->output(1)};
}

Outputs top_k_by_input(Operator& op) {
    const Output k = op.rank(op.input(1), "k") == 0 ? op.input(1) : op.reshape(op.input(1), {});
    fuseq::Node* node =
        top_k(op, op.input(0), k, op.attributes.integer("axis", -1),
              op.attributes.integer("largest", 1) != 0, op.attributes.integer("sorted", 1) != 0);
    return {node->output(0), node->output(1)};
}

// The index of the extreme value: the first one, or the last by looking from the other end.
Outputs arg_extreme(Operator& op, bool largest) {
    Output x = op.input(0);
    const auto axis =
        static_cast<std::int64_t>(op.axis(op.attributes.integer("axis", 0), op.rank(x)));
    const bool last = op.attributes.integer("select_last_index", 0) != 0;
    if (last) {
        constexpr std::int64_t kBeforeFirst = std::numeric_limits<std::int64_t>::min();
        x = op.add("Slice", {x, op.int_list({-1}), op.int_list({kBeforeFirst}), op.int_list({-1}),
                             op.int_list({axis})});
    }
    Output index = top_k(op, x, op.int_scalar(1), axis, largest, true)->output(1);
    if (last) {
        const Output size =
            op.add("Gather", {op.shape_of(x), op.int_scalar(axis), op.int_scalar(0)});
        index = op.add("Subtract", {op.add("Subtract", {size, op.int_scalar(1)}), index});
    }
    return {op.attributes.integer("keepdims", 1) != 0 ? index : op.squeeze(index, {axis})};
}

Outputs arg_max(Operator& op) {
    return arg_extreme(op, true);
}
Outputs arg_min(Operator& op) {
    return arg_extreme(op, false);
}

Outputs unique(Operator& op) {
    std::vector<Output> inputs{op.input(0)};
    if (op.attributes.has("axis")) {
        inputs.push_back(op.int_scalar(op.attributes.integer("axis", 0)));
    }
    fuseq::Node* node = op.node("Unique", inputs,
                                {{"sorted", op.attributes.integer("sorted", 1) != 0},
                                 {"index_element_type", ElementType::i64},
                                 {"count_element_type", ElementType::i64}});
    return {node->output(0), node->output(1), node->output(2), node->output(3)};
}

const OperatorRow kRows[] = {
    {.type = "TopK", .since = 1, .translate = top_k_by_attribute},
    {.type = "TopK", .since = 10, .translate = top_k_by_input},
    {.type = "ArgMax", .since = 1, .translate = arg_max},
    {.type = "ArgMin", .since = 1, .translate = arg_min},
    {.type = "Unique", .since = 11, .translate = unique},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::sorting_operators
