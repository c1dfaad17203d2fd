// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions.
#include "readers/caffe2/operator_table.hpp"
#include "readers/caffe2/ops/window.hpp"

namespace fuseq::caffe2_reader::convolution_operators {
namespace {

// Weights are [M, C / group, H, W], in nets of NHWC [M, H, W, C / group].
Shape weight_shape(Operator& op, const Output& weights) {
    op.require(weights.partial_shape().is_static() && weights.partial_shape().rank() == 4,
               "the weights, '", op.input_name(1), "', have shape ",
               to_string(weights.partial_shape()), ", expected four known sizes");
    return weights.shape();
}

std::int64_t read_group(const Operator& op, const Shape& weights) {
    const std::int64_t group = op.integer("group", 1);
    op.require(group >= 1 && weights[0] % static_cast<std::size_t>(group) == 0, "group is ", group,
               ", the weights have ", weights[0], " output channels");
    return group;
}

Window window_of(const Operator& op, const Shape& weights) {
    const std::vector<std::int64_t> kernel{static_cast<std::int64_t>(weights[2]),
                                           static_cast<std::int64_t>(weights[3])};
    Window window = read_window(op, kernel);
    op.require(window.kernel == kernel, "the kernel is ", window.kernel[0], "x", window.kernel[1],
               ", the weights, '", op.input_name(1), "', have ", kernel[0], "x", kernel[1]);
    return window;
}

void check_bias(Operator& op, const Output& bias, std::size_t channels) {
    op.require(bias.partial_shape().is_static() && shape_size(bias.shape()) == channels,
               "the bias, '", op.input_name(2), "', has shape ", to_string(bias.partial_shape()),
               ", the weights have ", channels, " output channels");
}

template <bool kRelu>
Values convolution(Operator& op) {
    const bool nhwc = op.is_nhwc();
    Output weights = op.image(1, nhwc);
    op.require(!op.value(1).grid, "the weights, '", op.input_name(1),
               "', are quantized, the operator takes real numbers");
    const Shape shape = weight_shape(op, weights);
    const std::int64_t group = read_group(op, shape);
    const Window window = window_of(op, shape);
    op.require(!op.value(0).grid, "input 0, '", op.input_name(0),
               "', is quantized, the operator takes real numbers");
    if (group > 1) {
        const auto filters = static_cast<std::int64_t>(shape[0]);
        weights = op.reshape(weights, {group, filters / group, static_cast<std::int64_t>(shape[1]),
                                       window.kernel[0], window.kernel[1]});
    }
    Output result = op.add(group > 1 ? "GroupConvolution" : "Convolution",
                           {op.image(0, nhwc), weights}, window.attributes());
    if (op.input_count() > 2) {
        check_bias(op, op.input(2), shape[0]);
        result = op.add("Add", {result, op.reshape(op.input(2), {1, -1, 1, 1})});
    }
    return op.image_result(kRelu ? op.add("ReLU", {result}) : result, nhwc);
}

// Data, weights and bias of an Int8 operator. `filter_axis`: that of the output channels.
struct QuantizedOperands {
    Output weights;
    Shape shape;
    Window window;
    Output bias;
    Grid result;
    ModelAttributes attributes;
};

QuantizedOperands read_quantized(Operator& op, std::size_t filter_axis, bool relu) {
    op.require(op.text("order", "NCHW") == "NHWC", "order is '", op.text("order", "NCHW"),
               "', Int8 convolutions take NHWC");
    op.require(op.input_count() == 3, "has ", op.input_count(),
               " inputs, expected data, weights and bias");
    const Grid& factor = op.grid(1);
    op.require(op.value(1).any().type() == ElementType::i8, "the weights, '", op.input_name(1),
               "', are no bytes");
    QuantizedOperands made;
    made.weights = op.image(1, true);
    made.shape = weight_shape(op, made.weights);
    made.window = window_of(op, made.shape);
    made.bias = op.stored(2);
    op.require(made.bias.type() == ElementType::i32, "the bias, '", op.input_name(2), "', is ",
               to_string(made.bias.type()), ", expected integers of 32 bits");
    check_bias(op, made.bias, made.shape[filter_axis]);
    made.result = op.output_grid();
    made.attributes = op.grids({0}, made.result, relu);
    for (const auto& one : made.window.attributes()) {
        made.attributes.push_back(one);
    }
    made.attributes.push_back({"weight_scales", std::vector<float>{factor.scale}});
    made.attributes.push_back({"weight_zero_points", std::vector<std::int64_t>{factor.zero_point}});
    return made;
}

template <bool kRelu>
Values quantized_convolution(Operator& op) {
    QuantizedOperands made = read_quantized(op, 0, kRelu);
    const std::int64_t group = read_group(op, made.shape);
    made.attributes.push_back({"groups", group});
    made.attributes.push_back({"depthwise", group > 1 && made.shape[1] == 1});
    return op.image_result(op.add("QuantizedConvolution",
                                  {op.image(0, true), made.weights, made.bias}, made.attributes),
                           true, made.result);
}

// adj: rows and columns that the window does not make, at the end.
std::vector<std::int64_t> read_adj(const Operator& op, const Window& window) {
    std::vector<std::int64_t> adj(2, op.integer("adj", 0));
    if (!op.has("adj")) {
        adj = {op.integer("adj_h", 0), op.integer("adj_w", 0)};
    }
    if (op.has("adjs")) {
        adj = op.integers("adjs");
    }
    op.require(adj.size() == 2, "argument adjs has ", adj.size(), " values, expected 2");
    for (std::size_t d = 0; d < adj.size(); ++d) {
        op.require(adj[d] >= 0 && adj[d] < window.strides[d], "adj is ", adj[d],
                   ", expected 0 or more, below the stride of ", window.strides[d]);
        op.require(window.dilations[d] == 1, "dilations of a transposed convolution are ",
                   window.dilations[d], ", expected 1");
    }
    op.require(op.integer("legacy_pad", 0) == 0, "legacy_pad of a transposed convolution is ",
               op.integer("legacy_pad", 0), ", expected 0");
    return adj;
}

// Weights are [C, M, H, W], in nets of NHWC [C, H, W, M].
Values deconvolution(Operator& op) {
    const bool nhwc = op.is_nhwc();
    op.require(!op.value(0).grid && !op.value(1).grid,
               "inputs are quantized, the operator takes real numbers");
    const Output weights = op.image(1, nhwc);
    const Shape shape = weight_shape(op, weights);
    op.require(op.integer("group", 1) == 1, "group is ", op.integer("group", 1), ", expected 1");
    const Window window = window_of(op, shape);
    ModelAttributes attributes = window.attributes();
    attributes.push_back({"output_padding", read_adj(op, window)});
    Output result = op.add("ConvolutionBackpropData", {op.image(0, nhwc), weights}, attributes);
    if (op.input_count() > 2) {
        check_bias(op, op.input(2), shape[1]);
        result = op.add("Add", {result, op.reshape(op.input(2), {1, -1, 1, 1})});
    }
    return op.image_result(result, nhwc);
}

// Weights are [C, H, W, M].
Values quantized_deconvolution(Operator& op) {
    op.require(op.integer("group", 1) == 1, "group is ", op.integer("group", 1), ", expected 1");
    QuantizedOperands made = read_quantized(op, 1, false);
    made.attributes.push_back({"output_padding", read_adj(op, made.window)});
    return op.image_result(op.add("QuantizedDeconvolution",
                                  {op.image(0, true), made.weights, made.bias}, made.attributes),
                           true, made.result);
}

const OperatorRow kRows[] = {
    {"Conv", convolution<false>, "two spatial dimensions"},
    {"ConvRelu", convolution<true>, "two spatial dimensions"},
    {"Int8Conv", quantized_convolution<false>},
    {"Int8ConvRelu", quantized_convolution<true>},
    {"ConvTranspose", deconvolution, "two spatial dimensions, group 1"},
    {"Int8ConvTranspose", quantized_deconvolution, "group 1"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::caffe2_reader::convolution_operators
