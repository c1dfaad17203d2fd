// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products: rows of K values times weights [N, K].
#include "readers/caffe2/operator_table.hpp"

namespace fuseq::caffe2_reader::fully_connected_operators {
namespace {

Shape weight_shape(Operator& op) {
    const Output weights = op.stored(1);
    const PartialShape& shape = weights.partial_shape();
    op.require(shape.is_static() && shape.rank() >= 2, "the weights, '", op.input_name(1),
               "', have shape ", to_string(shape), ", expected [N, K]");
    const Shape known = weights.shape();
    return {known[0], shape_size(known) / (known[0] == 0 ? 1 : known[0])};
}

Output rows(Operator& op, std::size_t depth) {
    const Output x = op.stored(0);
    const auto wide = static_cast<std::int64_t>(depth);
    const PartialShape& shape = x.partial_shape();
    op.require(depth > 0, "the weights, '", op.input_name(1), "', are empty");
    if (shape.is_static()) {
        op.require(shape_size(x.shape()) % depth == 0, "'", op.input_name(0), "' has ",
                   shape_size(x.shape()), " elements, a row of the weights ", depth);
    }
    return shape.rank_is_static() && shape.rank() == 2 ? x : op.reshape(x, {-1, wide});
}

void check_bias(Operator& op, std::size_t filters) {
    const Output bias = op.stored(2);
    op.require(bias.partial_shape().is_static() && shape_size(bias.shape()) == filters,
               "the bias, '", op.input_name(2), "', has shape ", to_string(bias.partial_shape()),
               ", the weights have ", filters, " rows");
}

Values fully_connected(Operator& op) {
    op.require(op.integer("axis", 1) == 1 && op.integer("axis_w", 1) == 1,
               "axis and axis_w other than 1 are not supported");
    op.require(op.input_count() == 3, "has ", op.input_count(),
               " inputs, expected data, weights and bias");
    op.require(!op.value(0).grid, "input 0, '", op.input_name(0),
               "', is quantized, the operator takes real numbers");
    const Shape shape = weight_shape(op);
    check_bias(op, shape[0]);
    const Output weights = op.reshape(
        op.input(1), {static_cast<std::int64_t>(shape[0]), static_cast<std::int64_t>(shape[1])});
    const Output product = op.add("MatMul", {rows(op, shape[1]), weights}, {{"transpose_b", true}});
    return plain(op.add("Add", {product, op.reshape(op.input(2), {-1})}));
}

template <bool kRelu>
Values quantized_fully_connected(Operator& op) {
    op.require(op.input_count() == 3, "has ", op.input_count(),
               " inputs, expected data, weights and bias");
    const Grid& factor = op.grid(1);
    const Shape shape = weight_shape(op);
    check_bias(op, shape[0]);
    const Output bias = op.stored(2);
    op.require(bias.type() == ElementType::i32, "the bias, '", op.input_name(2), "', is ",
               to_string(bias.type()), ", expected integers of 32 bits");
    const Output weights = op.reshape(
        op.stored(1), {static_cast<std::int64_t>(shape[0]), static_cast<std::int64_t>(shape[1])});
    const Grid result = op.output_grid();
    ModelAttributes attributes = op.grids({0}, result, kRelu);
    attributes.push_back({"weight_scales", std::vector<float>{factor.scale}});
    attributes.push_back({"weight_zero_points", std::vector<std::int64_t>{factor.zero_point}});
    attributes.push_back({"transpose_b", true});
    return plain(op.add("QuantizedMatMul", {rows(op, shape[1]), weights, op.reshape(bias, {-1})},
                        attributes),
                 result);
}

Values matmul(Operator& op) {
    return plain(op.add("MatMul", {op.input(0), op.input(1)},
                        {{"transpose_a", op.integer("trans_a", 0) != 0},
                         {"transpose_b", op.integer("trans_b", 0) != 0}}));
}

const OperatorRow kRows[] = {
    {"FC", fully_connected, "axis and axis_w are 1"},
    {"Int8FC", quantized_fully_connected<false>},
    {"Int8FCRelu", quantized_fully_connected<true>},
    {"MatMul", matmul},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::caffe2_reader::fully_connected_operators
