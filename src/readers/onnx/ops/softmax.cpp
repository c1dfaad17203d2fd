// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Softmax and its relatives. Before version 13 the axis and all after it were one dimension.
#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/flatten.hpp"

namespace fuseq::onnx_reader::softmax_operators {
namespace {

using Outputs = std::vector<Output>;
// The function along one axis of x.
using Along = Output (*)(Operator&, const Output& x, std::int64_t axis);

Output softmax_along(Operator& op, const Output& x, std::int64_t axis) {
    return op.add("SoftMax", {x}, {{"axis", axis}});
}

Output log_softmax_along(Operator& op, const Output& x, std::int64_t axis) {
    return op.add("LogSoftmax", {x}, {{"axis", axis}});
}

// 1 at the first maximum, else 0.
Output hardmax_along(Operator& op, const Output& x, std::int64_t axis) {
    const auto at = static_cast<std::int64_t>(op.axis(axis, op.rank(x)));
    fuseq::Node* top = op.node("TopK", {x, op.int_scalar(1)},
                               {{"axis", at},
                                {"mode", std::string("max")},
                                {"sort", std::string("value")},
                                {"index_element_type", ElementType::i64}});
    const Output index = op.squeeze(top->output(1), {at});
    const Output depth = op.add("Gather", {op.shape_of(x), op.int_scalar(at), op.int_scalar(0)});
    return op.add("OneHot", {index, depth, op.scalar(1, x), op.scalar(0, x)}, {{"axis", at}});
}

template <Along kAlong>
Outputs along_axis(Operator& op) {
    return {kAlong(op, op.input(0), op.attributes.integer("axis", -1))};
}

template <Along kAlong>
Outputs flattened(Operator& op) {
    const Output x = op.input(0);
    const std::int64_t stated = op.attributes.integer("axis", 1);
    const std::size_t rank = op.rank(x);
    const std::size_t axis = op.axis(stated, rank);
    if (axis + 1 == rank) {
        return {kAlong(op, x, static_cast<std::int64_t>(axis))};
    }
    const Output result = kAlong(op, flatten(op, x, axis), 1);
    return {op.add("Reshape", {result, op.shape_of(x)}, {{"special_zero", false}})};
}

const OperatorRow kRows[] = {
    {.type = "Softmax", .since = 1, .translate = flattened<softmax_along>},
    {.type = "Softmax", .since = 13, .translate = along_axis<softmax_along>},
    {.type = "LogSoftmax", .since = 1, .translate = flattened<log_softmax_along>},
    {.type = "LogSoftmax", .since = 13, .translate = along_axis<log_softmax_along>},
    {.type = "Hardmax", .since = 1, .translate = flattened<hardmax_along>},
    {.type = "Hardmax", .since = 13, .translate = along_axis<hardmax_along>},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::softmax_operators
