// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of quantized tensors: convolution and fully connected, sums of 32 bits.
#include <cmath>
#include <limits>

#include "readers/mxnet/operator_table.hpp"
#include "readers/mxnet/ops/products.hpp"
#include "readers/mxnet/ops/window.hpp"

namespace fuseq::mxnet_reader::products_operators {
namespace {

using Outputs = std::vector<Output>;

bool has_bias(const Operator& op) {
    const bool bias = !op.attributes.flag("no_bias", false);
    op.require_inputs(bias ? 9 : 6);
    return bias;
}

struct Operands {
    Grid data;
    Grid weights;
    std::vector<Output> inputs;
    ModelAttributes attributes;
};

// Data, weights, bias, then the ranges of each.
Operands read(Operator& op, bool biased) {
    const std::size_t ranges = biased ? 3 : 2;
    Operands operands{.data = op.grid(0, ranges, ranges + 1),
                      .weights = op.grid(1, ranges + 2, ranges + 3),
                      .inputs = {op.input(0), op.input(1)},
                      .attributes = {}};
    if (biased) {
        const Grid bias = op.grid(2, ranges + 4, ranges + 5);
        operands.inputs.push_back(integer_bias(op, op.input(2), bias.scale,
                                               static_cast<double>(operands.data.scale) *
                                                   static_cast<double>(operands.weights.scale)));
    }
    operands.attributes = grids({operands.data}, {}, ElementType::i32);
    operands.attributes.push_back({"weight_scales", std::vector<float>{operands.weights.scale}});
    operands.attributes.push_back(
        {"weight_zero_points", std::vector<std::int64_t>{operands.weights.zero_point}});
    return operands;
}

// Integers of 32 bits in the scale of the product.
Outputs with_product_range(Operator& op, const Output& sums, const Operands& operands) {
    const double limit = static_cast<double>(operands.data.scale) *
                         static_cast<double>(operands.weights.scale) *
                         std::numeric_limits<std::int32_t>::max();
    return op.with_range(sums, {-limit, limit});
}

Outputs convolution(Operator& op) {
    const bool biased = has_bias(op);
    Operands operands = read(op, biased);
    const ConvolutionShape shape = read_convolution(op.attributes, op.input(1), op.place());
    if (biased) {
        check_bias(op.input(2), shape.filters, op.place());
    }
    for (const auto& one : shape.window.attributes()) {
        operands.attributes.push_back(one);
    }
    operands.attributes.push_back({"groups", shape.group});
    return with_product_range(
        op, op.add("QuantizedConvolution", operands.inputs, operands.attributes), operands);
}

Outputs fully_connected(Operator& op) {
    const bool biased = has_bias(op);
    Operands operands = read(op, biased);
    operands.inputs[0] = fully_connected_rows(op, op.attributes, op.place());
    operands.attributes.push_back({"transpose_b", true});
    return with_product_range(op, op.add("QuantizedMatMul", operands.inputs, operands.attributes),
                              operands);
}

const OperatorRow kRows[] = {
    {"_contrib_quantized_conv", convolution, "channels second"},
    {"_contrib_quantized_fully_connected", fully_connected},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::mxnet_reader::products_operators

namespace fuseq::mxnet_reader {

Output integer_bias(Operator& op, const Output& bias, double scale, double product) {
    const auto known = op.known_ints(bias);
    op.require(known.has_value(), "the bias is not constant");
    std::vector<std::int64_t> values;
    values.reserve(known->size());
    constexpr double kLimit = std::numeric_limits<std::int32_t>::max();
    for (const std::int64_t q : *known) {
        const double value = static_cast<double>(q) * (scale / product);
        op.require(std::abs(value) <= kLimit, "a bias of ", static_cast<double>(q) * scale,
                   " does not fit into 32 bits in the scale of the product, ", product);
        values.push_back(static_cast<std::int64_t>(value));
    }
    return op.constant(Tensor::of<std::int64_t>(Shape{values.size()}, values).to(ElementType::i32));
}

Output fully_connected_rows(Operator& op, const TextAttributes& attributes, const Place& place) {
    const PartialShape& shape = op.input(1).partial_shape();
    const std::int64_t hidden = attributes.integer("num_hidden", 0);
    place.require(shape.is_static() && shape.rank() == 2 && shape[0].get_length() == hidden,
                  "the weights have shape ", to_string(shape), ", expected [", hidden, ", inputs]");
    const Output x = op.input(0);
    const bool rows = x.partial_shape().rank_is_static() && x.partial_shape().rank() == 2;
    return rows || !attributes.flag("flatten", true) ? x : op.reshape(x, {0, -1});
}

}  // namespace fuseq::mxnet_reader
