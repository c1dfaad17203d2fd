// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions.
#include <algorithm>
#include <array>
#include <cstring>

#include "readers/tflite/operator_table.hpp"
#include "readers/tflite/ops/grids.hpp"
#include "readers/tflite/ops/window.hpp"

namespace fuseq::tflite_reader::convolution_operators {
namespace {

std::int64_t size_at(const Operator& op, std::size_t input, std::size_t axis) {
    const Shape& shape = op.tensor(input).shape;
    op.require(axis < shape.size(), "input ", input, ", ", op.tensor(input).title(), ", has shape ",
               to_string(shape));
    return static_cast<std::int64_t>(shape[axis]);
}

void check_rank(const Operator& op, std::size_t input, std::size_t rank) {
    const Shape& shape = op.tensor(input).shape;
    op.require(shape.size() == rank, "input ", input, ", ", op.tensor(input).title(),
               ", has shape ", to_string(shape), ", expected rank ", rank);
}

// [C] as [1, C, 1, ...].
Output add_bias(Operator& op, const Output& x, std::size_t input) {
    if (!op.has_input(input)) {
        return x;
    }
    std::vector<std::int64_t> spread(x.partial_shape().rank(), 1);
    spread[1] = -1;
    return op.add("Add", {x, op.reshape(op.real(input), spread)});
}

// Channels of the image over input channels of a filter.
std::int64_t groups(const Operator& op, const Output& x, std::int64_t filter_channels) {
    const Dimension channels = x.partial_shape()[1];
    op.require(channels.is_static() && filter_channels >= 1 &&
                   channels.get_length() % filter_channels == 0,
               "the input has ", to_string(x.partial_shape()), " (channels second), a filter ",
               filter_channels, " channels");
    return channels.get_length() / filter_channels;
}

// Integer weights as they stand; those of 4 bits as i8.
Output integer_weights(Operator& op, std::size_t input) {
    const Output weights = op.input(input);
    return weights.type() == ElementType::i4 ? op.convert(weights, ElementType::i8) : weights;
}

// Weights are [OC, IC / groups, H, W], or [IC, OC, H, W] of a deconvolution.
Values quantized(Operator& op,
                 const char* type,
                 const Output& x,
                 const Output& weights,
                 ModelAttributes attributes,
                 const Window& window,
                 std::size_t bias) {
    std::vector<Output> inputs{x, weights};
    if (op.has_input(bias)) {
        inputs.push_back(op.input(bias));
    }
    const ModelAttributes shape = window.attributes();
    attributes.insert(attributes.end(), shape.begin(), shape.end());
    return image(op.add(type, inputs, attributes));
}

Values convolution(Operator& op) {
    const auto& options = op.options<::tflite::Conv2DOptions>();
    check_rank(op, 1, 4);
    const Output x = op.image(0);
    const Window window = make_window(op, options.padding(), spatial_sizes(op, x),
                                      {size_at(op, 1, 1), size_at(op, 1, 2)},
                                      {options.stride_h(), options.stride_w()},
                                      {options.dilation_h_factor(), options.dilation_w_factor()});
    const std::int64_t count = groups(op, x, size_at(op, 1, 3));
    if (is_quantized(op)) {
        ModelAttributes attributes = grids(op, {0}, options.fused_activation_function());
        add_weight_grids(op, 1, 0, attributes);
        check_bias(op, 0, 1, 2);
        attributes.push_back({"groups", count});
        return quantized(op, "QuantizedConvolution", x, op.to_image(integer_weights(op, 1)),
                         attributes, window, 2);
    }
    Output weights = op.to_image(op.real(1));  // [O, I, H, W]
    if (count > 1) {
        const std::int64_t filters = size_at(op, 1, 0);
        op.require(filters % count == 0, "has ", filters, " filters in ", count, " groups");
        weights = op.reshape(weights, {count, filters / count, size_at(op, 1, 3), window.kernel[0],
                                       window.kernel[1]});
    }
    const Output sum =
        op.add(count > 1 ? "GroupConvolution" : "Convolution", {x, weights}, window.attributes());
    return image(op.activation(add_bias(op, sum, 2), options.fused_activation_function()));
}

Values depthwise(Operator& op) {
    const auto& options = op.options<::tflite::DepthwiseConv2DOptions>();
    check_rank(op, 1, 4);
    const Output x = op.image(0);
    const Window window = make_window(op, options.padding(), spatial_sizes(op, x),
                                      {size_at(op, 1, 1), size_at(op, 1, 2)},
                                      {options.stride_h(), options.stride_w()},
                                      {options.dilation_h_factor(), options.dilation_w_factor()});
    const Dimension channels = x.partial_shape()[1];
    const std::int64_t filters = size_at(op, 1, 3);
    op.require(channels.is_static() && channels.get_length() >= 1 &&
                   filters % channels.get_length() == 0 && size_at(op, 1, 0) == 1,
               "the input has ", to_string(x.partial_shape()), " (channels second), the filter ",
               to_string(op.tensor(1).shape));
    const std::int64_t count = channels.get_length();
    if (is_quantized(op)) {
        ModelAttributes attributes = grids(op, {0}, options.fused_activation_function());
        add_weight_grids(op, 1, 3, attributes);
        check_bias(op, 0, 1, 2);
        attributes.push_back({"groups", count});
        attributes.push_back({"depthwise", true});
        return quantized(op, "QuantizedConvolution", x,
                         op.transpose(integer_weights(op, 1), {3, 0, 1, 2}), attributes, window, 2);
    }
    // [1, H, W, C * M] -> [C, M, 1, H, W]
    const Output weights =
        op.reshape(op.transpose(op.real(1), {3, 0, 1, 2}),
                   {count, filters / count, 1, window.kernel[0], window.kernel[1]});
    const Output sum = op.add("GroupConvolution", {x, weights}, window.attributes());
    return image(op.activation(add_bias(op, sum, 2), options.fused_activation_function()));
}

// A shape that is not constant must be that of the output: sizes of the Model are static.
std::vector<std::int64_t> result_shape(Operator& op) {
    if (const auto known = op.known_ints(op.input(0))) {
        return *known;
    }
    const Shape& shape = op.output_tensor().shape;
    return {shape.begin(), shape.end()};
}

// Elements of the result, by dimension, that values, kernel and stride do not give.
std::vector<std::int64_t> missing_sizes(const Operator& op,
                                        const std::vector<std::int64_t>& result,
                                        const std::vector<std::int64_t>& source,
                                        const Window& window) {
    std::vector<std::int64_t> extra;
    for (std::size_t d = 0; d < result.size(); ++d) {
        const std::int64_t made = (source[d] - 1) * window.strides[d] + window.kernel[d] -
                                  window.begin[d] - window.end[d];
        op.require(result[d] >= made && result[d] - made < window.strides[d], "the result has ",
                   result[d], " elements in dimension ", d + 1,
                   ", the values, kernel and stride give ", made);
        extra.push_back(result[d] - made);
    }
    return extra;
}

// Inputs are the shape of the result, the weights [O, H, W, I] and the values. The padding is that
// of the convolution from the result to the values.
Values transpose_convolution(Operator& op) {
    const auto& options = op.options<::tflite::TransposeConvOptions>();
    check_rank(op, 1, 4);
    const Output x = op.image(2);
    const std::vector<std::int64_t> shape = result_shape(op);
    op.require(shape.size() == 4, "the shape of the result has ", shape.size(),
               " values, expected 4");
    const std::vector<std::int64_t> sizes{shape[1], shape[2]};
    const Window window =
        make_window(op, options.padding(), sizes, {size_at(op, 1, 1), size_at(op, 1, 2)},
                    {options.stride_h(), options.stride_w()}, {1, 1});
    const std::vector<std::int64_t> extra = missing_sizes(op, sizes, spatial_sizes(op, x), window);
    if (is_quantized(op, 2)) {
        ModelAttributes grid = grids(op, {2}, options.fused_activation_function());
        add_weight_grids(op, 1, 0, grid);
        check_bias(op, 2, 1, 3);
        grid.push_back({"output_padding", extra});
        return quantized(op, "QuantizedDeconvolution", x,
                         op.transpose(integer_weights(op, 1), {3, 0, 1, 2}), grid, window, 3);
    }
    ModelAttributes attributes = window.attributes();
    attributes.push_back({"output_padding", extra});
    const Output weights = op.transpose(op.real(1), {3, 0, 1, 2});  // [I, O, H, W]
    const Output sum = op.add("ConvolutionBackpropData", {x, weights}, attributes);
    return image(op.activation(add_bias(op, sum, 3), options.fused_activation_function()));
}

// MediaPipe's: values, weights [O, H, W, I] and bias. Its options are those of TRANSPOSE_CONV as they lie in
// memory: padding (1: SAME, 2: VALID), strides of width and height. SAME leaves out what a kernel reaches
// beyond the last whole stride.
Values transpose_convolution_with_bias(Operator& op) {
    check_rank(op, 1, 4);
    const Output x = op.image(0);
    std::array<std::int32_t, 3> options{};
    const auto bytes = op.custom_options();
    op.require(bytes.size() >= sizeof(options), "has ", bytes.size(),
               " bytes of options, expected padding and strides");
    std::memcpy(options.data(), bytes.data(), sizeof(options));
    const auto [padding, width, height] = options;
    op.require(padding == 1 || padding == 2, "padding is ", padding, ", expected 1 or 2");
    constexpr std::int32_t kLargestStride = 256;
    op.require(width >= 1 && width <= kLargestStride && height >= 1 && height <= kLargestStride,
               "the strides are ", height, " and ", width, ", expected 1 to ", kLargestStride);
    const std::vector<std::int64_t> sizes = spatial_sizes(op, x);
    Window window = make_window(op, ::tflite::Padding::VALID, sizes,
                                {size_at(op, 1, 1), size_at(op, 1, 2)}, {height, width}, {1, 1});
    for (std::size_t d = 0; d < sizes.size() && padding == 1; ++d) {
        const std::int64_t last = (std::max<std::int64_t>(sizes[d], 1) - 1) % window.strides[d];
        const std::int64_t all = std::max<std::int64_t>(0, window.kernel[d] - last - 1);
        window.begin[d] = all / 2;
        window.end[d] = all - all / 2;
    }
    const TensorInfo& stated = op.output_tensor();
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        const std::int64_t size =
            (sizes[d] - 1) * window.strides[d] + window.kernel[d] - window.begin[d] - window.end[d];
        op.require(stated.shape.size() != 4 || stated.is_free(d + 1) ||
                       static_cast<std::int64_t>(stated.shape[d + 1]) == size,
                   "the result has shape ", to_string(stated.shape), ", expected ", size,
                   " in dimension ", d + 1);
    }
    const Output weights = op.transpose(op.real(1), {3, 0, 1, 2});  // [I, O, H, W]
    const Output sum = op.add("ConvolutionBackpropData", {x, weights}, window.attributes());
    return image(add_bias(op, sum, 2));
}

// [N, D, H, W, C] and weights [D, H, W, I, O].
Values convolution_3d(Operator& op) {
    const auto& options = op.options<::tflite::Conv3DOptions>();
    check_rank(op, 0, 5);
    check_rank(op, 1, 5);
    const Output x = op.transpose(op.input(0), {0, 4, 1, 2, 3});
    const Window window = make_window(
        op, options.padding(), spatial_sizes(op, x),
        {size_at(op, 1, 0), size_at(op, 1, 1), size_at(op, 1, 2)},
        {options.stride_d(), options.stride_h(), options.stride_w()},
        {options.dilation_d_factor(), options.dilation_h_factor(), options.dilation_w_factor()});
    const Output weights = op.transpose(op.real(1), {4, 3, 0, 1, 2});
    const Output sum = op.add("Convolution", {x, weights}, window.attributes());
    const Output result = op.activation(add_bias(op, sum, 2), options.fused_activation_function());
    return plain(op.transpose(result, {0, 2, 3, 4, 1}));
}

// Inputs are the shape of the result, weights [D, H, W, O, I] and values [N, D, H, W, I]. TFLite takes no
// dilations here.
Values transpose_convolution_3d(Operator& op) {
    const auto& options = op.options<::tflite::Conv3DOptions>();
    check_rank(op, 1, 5);
    check_rank(op, 2, 5);
    op.require(options.dilation_d_factor() == 1 && options.dilation_h_factor() == 1 &&
                   options.dilation_w_factor() == 1,
               "dilations are not supported");
    const Output x = op.transpose(op.input(2), {0, 4, 1, 2, 3});
    const std::vector<std::int64_t> shape = result_shape(op);
    op.require(shape.size() == 5, "the shape of the result has ", shape.size(),
               " values, expected 5");
    const std::vector<std::int64_t> sizes{shape[1], shape[2], shape[3]};
    const Window window = make_window(
        op, options.padding(), sizes, {size_at(op, 1, 0), size_at(op, 1, 1), size_at(op, 1, 2)},
        {options.stride_d(), options.stride_h(), options.stride_w()}, {1, 1, 1});
    ModelAttributes attributes = window.attributes();
    attributes.push_back(
        {"output_padding", missing_sizes(op, sizes, spatial_sizes(op, x), window)});
    const Output weights = op.transpose(op.real(1), {4, 3, 0, 1, 2});  // [I, O, D, H, W]
    const Output sum = op.add("ConvolutionBackpropData", {x, weights}, attributes);
    const Output result = op.activation(add_bias(op, sum, 3), options.fused_activation_function());
    return plain(op.transpose(result, {0, 2, 3, 4, 1}));
}

const OperatorRow kRows[] = {
    {.type = "CONV_2D", .newest = 6, .translate = convolution},
    {.type = "DEPTHWISE_CONV_2D", .newest = 7, .translate = depthwise},
    {.type = "TRANSPOSE_CONV", .newest = 4, .translate = transpose_convolution},
    {.type = "Convolution2DTransposeBias",
     .newest = 1,
     .translate = transpose_convolution_with_bias,
     .note = "custom, of MediaPipe; f32",
     .custom = true},
    {.type = "CONV_3D", .newest = 1, .translate = convolution_3d},
    {.type = "CONV_3D_TRANSPOSE", .newest = 1, .translate = transpose_convolution_3d},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::convolution_operators
