// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions.
#include "readers/caffe2/operator_table.hpp"
#include "readers/caffe2/ops/window.hpp"

namespace fuseq::caffe2_reader {
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

template <bool kRelu>
Values quantized_convolution(Operator& op) {
    op.require(op.text("order", "NCHW") == "NHWC", "order is '", op.text("order", "NCHW"),
               "', Int8 convolutions take NHWC");
    op.require(op.input_count() == 3, "has ", op.input_count(),
               " inputs, expected data, weights and bias");
    const Grid& factor = op.grid(1);
    op.require(op.value(1).any().type() == ElementType::i8, "the weights, '", op.input_name(1),
               "', are no bytes");
    const Output weights = op.image(1, true);
    const Shape shape = weight_shape(op, weights);
    const Window window = window_of(op, shape);
    const Output bias = op.stored(2);
    op.require(bias.type() == ElementType::i32, "the bias, '", op.input_name(2), "', is ",
               to_string(bias.type()), ", expected integers of 32 bits");
    check_bias(op, bias, shape[0]);
    const Grid result = op.output_grid();
    ModelAttributes attributes = op.grids({0}, result, kRelu);
    for (const auto& one : window.attributes()) {
        attributes.push_back(one);
    }
    const std::int64_t group = read_group(op, shape);
    attributes.push_back({"weight_scales", std::vector<float>{factor.scale}});
    attributes.push_back({"weight_zero_points", std::vector<std::int64_t>{factor.zero_point}});
    attributes.push_back({"groups", group});
    attributes.push_back({"depthwise", group > 1 && shape[1] == 1});
    return op.image_result(
        op.add("QuantizedConvolution", {op.image(0, true), weights, bias}, attributes), true,
        result);
}

const OperatorRow kRows[] = {
    {"Conv", convolution<false>, "two spatial dimensions"},
    {"ConvRelu", convolution<true>, "two spatial dimensions"},
    {"Int8Conv", quantized_convolution<false>},
    {"Int8ConvRelu", quantized_convolution<true>},
};

}  // namespace

std::span<const OperatorRow> convolution_operators() {
    return kRows;
}

}  // namespace fuseq::caffe2_reader
