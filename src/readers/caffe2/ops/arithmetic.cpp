// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums, differences and products.
#include <algorithm>

#include "readers/caffe2/operator_table.hpp"

namespace fuseq::caffe2_reader::arithmetic_operators {
namespace {

// Both operands as images where they are such already.
bool both_images(const Operator& op) {
    const auto only_image = [&](std::size_t i) { return op.value(i).image && !op.value(i).plain; };
    return only_image(0) && only_image(1);
}

// Before version 1 of ONNX the second operand had its place by an axis.
Output second(Operator& op) {
    const Output b = op.input(1);
    if (op.integer("broadcast", 0) == 0 || !op.has("axis")) {
        return b;
    }
    const std::size_t rank = op.rank(op.input(0), "the first operand");
    const std::size_t own = op.rank(b, "the second operand");
    const std::size_t axis = op.axis(op.integer("axis", 0), rank);
    op.require(axis + own <= rank, "axis is ", axis, ", the operands have ranks ", rank, " and ",
               own);
    std::vector<std::int64_t> last;
    for (std::size_t d = own; d < rank - axis; ++d) {
        last.push_back(static_cast<std::int64_t>(d));
    }
    return op.unsqueeze(b, last);
}

const char* operation_of(const Operator& op) {
    return op.type() == "Sub" ? "Subtract" : op.type() == "Mul" ? "Multiply" : "Add";
}

Values binary(Operator& op) {
    op.require(op.input_count() == 2, "has ", op.input_count(), " inputs, expected 2");
    return plain(op.add(operation_of(op), {op.input(0), second(op)}));
}

Values sum(Operator& op) {
    Output result = op.input(0);
    for (std::size_t i = 1; i < op.input_count(); ++i) {
        result = op.add("Add", {result, op.input(i)});
    }
    return plain(result);
}

template <bool kRelu>
Values quantized_sum(Operator& op) {
    op.require(op.input_count() == 2, "has ", op.input_count(),
               " inputs, a sum of quantized tensors takes 2");
    const Grid result = op.output_grid();
    const ModelAttributes attributes = op.grids({0, 1}, result, kRelu);
    if (both_images(op)) {
        return op.image_result(
            op.add("QuantizedAdd", {op.image(0, true), op.image(1, true)}, attributes), true,
            result);
    }
    return plain(op.add("QuantizedAdd", {op.stored(0), op.stored(1)}, attributes), result);
}

const OperatorRow kRows[] = {
    {"Add", binary},
    {"Int8Add", quantized_sum<false>},
    {"Int8AddRelu", quantized_sum<true>},
    {"Int8Sum", quantized_sum<false>, "two operands"},
    {"Int8SumRelu", quantized_sum<true>, "two operands"},
    {"Mul", binary},
    {"Sub", binary},
    {"Sum", sum},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::caffe2_reader::arithmetic_operators
