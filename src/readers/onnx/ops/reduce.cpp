// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions.
#include "readers/onnx/operator_table.hpp"

namespace fuseq::onnx_reader::reduce_operators {
namespace {

using Outputs = std::vector<Output>;

struct Reduction {
    Output x;
    Output axes = {};
    bool keep = true;
    bool nothing = false;  // no axes, and the node says that none then means none
};

Reduction read(Operator& op) {
    Reduction reduction{.x = op.input(0)};
    reduction.keep = op.attributes.integer("keepdims", 1) != 0;
    const auto listed = op.attributes.integers("axes");
    bool all = listed.empty();
    if (!all) {
        reduction.axes = op.int_list(listed);
    } else if (op.has_input(1)) {
        const auto known = op.known_ints(op.input(1));
        const PartialShape& shape = op.input(1).partial_shape();
        all = shape.rank_is_static() && shape.rank() == 1 && shape[0] == Dimension(0);
        all = all || (known && known->empty());
        reduction.axes = op.input(1);
    }
    reduction.nothing = all && op.attributes.integer("noop_with_empty_axes", 0) != 0;
    if (all && !reduction.nothing) {
        reduction.axes = op.all_axes(reduction.x);
    }
    return reduction;
}

Output reduce(Operator& op, const char* type, const Output& x, const Reduction& by) {
    return by.nothing ? x : op.add(type, {x, by.axes}, {{"keep_dims", by.keep}});
}

struct SameName {
    std::string_view onnx;
    const char* model;
};
constexpr SameName kSame[] = {
    {"ReduceMax", "ReduceMax"},   {"ReduceMin", "ReduceMin"}, {"ReduceMean", "ReduceMean"},
    {"ReduceProd", "ReduceProd"}, {"ReduceSum", "ReduceSum"}, {"ReduceL1", "ReduceL1"},
    {"ReduceL2", "ReduceL2"},
};

Outputs same(Operator& op) {
    const Reduction by = read(op);
    for (const SameName& pair : kSame) {
        if (pair.onnx == op.type()) {
            // Of one value the norms are its magnitude.
            const bool norm = by.nothing && op.type().starts_with("ReduceL");
            return {norm ? op.add("Abs", {by.x}) : reduce(op, pair.model, by.x, by)};
        }
    }
    op.fail("has no counterpart in the Model");
}

Outputs sum_square(Operator& op) {
    const Reduction by = read(op);
    return {reduce(op, "ReduceSum", op.add("Multiply", {by.x, by.x}), by)};
}

Outputs log_sum(Operator& op) {
    const Reduction by = read(op);
    return {op.add("Log", {reduce(op, "ReduceSum", by.x, by)})};
}

// log(sum(exp(x - m))) + m, where m is the largest value.
Outputs log_sum_exp(Operator& op) {
    const Reduction by = read(op);
    if (by.nothing) {
        return {by.x};
    }
    const Output largest = op.add("ReduceMax", {by.x, by.axes}, {{"keep_dims", true}});
    const Output powers = op.add("Exp", {op.add("Subtract", {by.x, largest})});
    const Output sum = op.add("Log", {reduce(op, "ReduceSum", powers, by)});
    const Output back = by.keep ? largest : op.add("Squeeze", {largest, by.axes});
    return {op.add("Add", {sum, back})};
}

const OperatorRow kRows[] = {
    {.type = "ReduceMax", .since = 1, .translate = same},
    {.type = "ReduceMin", .since = 1, .translate = same},
    {.type = "ReduceMean", .since = 1, .translate = same},
    {.type = "ReduceProd", .since = 1, .translate = same},
    {.type = "ReduceSum", .since = 1, .translate = same},
    {.type = "ReduceL1", .since = 1, .translate = same},
    {.type = "ReduceL2", .since = 1, .translate = same},
    {.type = "ReduceSumSquare", .since = 1, .translate = sum_square},
    {.type = "ReduceLogSum", .since = 1, .translate = log_sum},
    {.type = "ReduceLogSumExp", .since = 1, .translate = log_sum_exp},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::reduce_operators
