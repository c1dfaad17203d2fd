// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products.
#include <algorithm>

#include "readers/tflite/operator_table.hpp"
#include "readers/tflite/ops/grids.hpp"

namespace fuseq::tflite_reader::fully_connected_operators {
namespace {

// [..., K] as rows of K values, where K is the second dimension of the weights.
Output rows(Operator& op, const Output& x, std::int64_t depth) {
    const PartialShape& shape = x.partial_shape();
    op.require(shape.rank_is_static() && depth >= 1, "the input has shape ", to_string(shape),
               ", the weights take ", depth, " values each time");
    if (shape.is_static()) {
        const std::size_t elements = shape_size(x.shape());
        op.require(elements % static_cast<std::size_t>(depth) == 0, "the input has ", elements,
                   " elements, the weights take ", depth, " each time");
    }
    return shape.rank() == 2 && shape[1] == Dimension(depth) ? x : op.reshape(x, {-1, depth});
}

// keep_num_dims: all dimensions but the last are those of the input.
Output result_shape(Operator& op, const Output& result, std::int64_t filters) {
    if (!op.options<::tflite::FullyConnectedOptions>().keep_num_dims()) {
        return result;
    }
    const PartialShape& shape = op.input(0).partial_shape();
    op.require(shape.rank_is_static() && shape.rank() > 0, "the input has shape ",
               to_string(shape));
    std::vector<std::int64_t> sizes;
    for (std::size_t d = 0; d < shape.rank(); ++d) {
        sizes.push_back(shape[d].is_static() ? shape[d].get_length() : -1);
    }
    sizes.back() = filters;
    op.require(std::count(sizes.begin(), sizes.end(), -1) <= 1, "the input has shape ",
               to_string(shape), ", more than one size is not known");
    return sizes.size() == 2 ? result : op.reshape(result, sizes);
}

// An image of one pixel has its values in the order of the file.
Output flat_input(Operator& op) {
    if (op.is_image(0)) {
        const PartialShape& shape = op.image(0).partial_shape();
        if (shape[2] == Dimension(1) && shape[3] == Dimension(1)) {
            return op.image(0);
        }
    }
    return op.input(0);
}

Values fully_connected(Operator& op) {
    const auto& options = op.options<::tflite::FullyConnectedOptions>();
    op.require(options.weights_format() == 0, "weights_format is ",
               static_cast<int>(options.weights_format()), ", shuffled weights are not supported");
    const Shape& shape = op.tensor(1).shape;
    op.require(shape.size() == 2, "the weights have shape ", to_string(shape), ", expected rank 2");
    const auto filters = static_cast<std::int64_t>(shape[0]);
    const Output x = rows(op, flat_input(op), static_cast<std::int64_t>(shape[1]));
    if (is_quantized(op)) {
        ModelAttributes attributes = grids(op, {0}, options.fused_activation_function());
        add_weight_grids(op, 1, 0, attributes);
        check_bias(op, 0, 1, 2);
        attributes.push_back({"transpose_b", true});
        const Output weights = op.input(1);
        const bool packed = weights.type() == ElementType::i4;
        std::vector<Output> inputs{x, packed ? op.convert(weights, ElementType::i8) : weights};
        if (op.has_input(2)) {
            inputs.push_back(op.input(2));
        }
        return plain(result_shape(op, op.add("QuantizedMatMul", inputs, attributes), filters));
    }
    Output result = op.add("MatMul", {x, op.real(1)}, {{"transpose_b", true}});
    if (op.has_input(2)) {
        result = op.add("Add", {result, op.real(2)});
    }
    return plain(
        result_shape(op, op.activation(result, options.fused_activation_function()), filters));
}

Values batch_matmul(Operator& op) {
    const auto& options = op.options<::tflite::BatchMatMulOptions>();
    ModelAttributes transposed{{"transpose_a", options.adj_x()}, {"transpose_b", options.adj_y()}};
    if (is_quantized(op)) {
        ModelAttributes attributes = grids(op, {0});
        op.require(!op.tensor(1).quantization.per_channel(), "input 1, ", op.tensor(1).title(),
                   ", has several scales");
        add_weight_grids(op, 1, 0, attributes);
        attributes.insert(attributes.end(), transposed.begin(), transposed.end());
        return plain(op.add("QuantizedMatMul", {op.input(0), op.input(1)}, attributes));
    }
    return plain(op.add("MatMul", {op.real(0), op.real(1)}, transposed));
}

const OperatorRow kRows[] = {
    {.type = "BATCH_MATMUL", .newest = 4, .translate = batch_matmul},
    {.type = "FULLY_CONNECTED",
     .newest = 10,
     .translate = fully_connected,
     .note = "shuffled weights refused"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::fully_connected_operators
