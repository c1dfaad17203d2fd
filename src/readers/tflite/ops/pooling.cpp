// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Poolings.
#include "readers/tflite/operator_table.hpp"
#include "readers/tflite/ops/grids.hpp"
#include "readers/tflite/ops/window.hpp"

namespace fuseq::tflite_reader::pooling_operators {
namespace {

struct Pool {
    Output x;
    Window window;
    ModelAttributes attributes;
    ::tflite::ActivationFunctionType function;
};

Pool read(Operator& op) {
    const auto& options = op.options<::tflite::Pool2DOptions>();
    const Output x = op.image(0);
    const Window window = make_window(op, options.padding(), spatial_sizes(op, x),
                                      {options.filter_height(), options.filter_width()},
                                      {options.stride_h(), options.stride_w()}, {1, 1});
    ModelAttributes attributes{{"strides", window.strides},
                               {"pads_begin", window.begin},
                               {"pads_end", window.end},
                               {"kernel", window.kernel},
                               {"rounding_type", std::string("floor")},
                               {"auto_pad", std::string("explicit")}};
    return {x, window, attributes, options.fused_activation_function()};
}

Values quantized_pool(Operator& op, const char* type, const Pool& pool) {
    ModelAttributes attributes = grids(op, {0}, pool.function);
    attributes.insert(attributes.end(), pool.attributes.begin(), pool.attributes.end());
    return image(op.add(type, {pool.x}, attributes));
}

// Divides by the elements inside of the image.
Values average_pool(Operator& op) {
    Pool pool = read(op);
    if (is_quantized(op)) {
        return quantized_pool(op, "QuantizedAveragePool", pool);
    }
    pool.attributes.push_back({"exclude-pad", true});
    return image(op.activation(op.add("AvgPool", {pool.x}, pool.attributes), pool.function));
}

Values max_pool(Operator& op) {
    Pool pool = read(op);
    if (is_quantized(op)) {
        return quantized_pool(op, "QuantizedMaxPool", pool);
    }
    pool.attributes.push_back({"dilations", std::vector<std::int64_t>{1, 1}});
    return image(op.activation(op.add("MaxPool", {pool.x}, pool.attributes), pool.function));
}

Values l2_pool(Operator& op) {
    Pool pool = read(op);
    pool.attributes.push_back({"exclude-pad", true});
    const Output squares = op.add("Multiply", {pool.x, pool.x});
    const Output mean = op.add("AvgPool", {squares}, pool.attributes);
    return image(op.activation(op.add("Sqrt", {mean}), pool.function));
}

const OperatorRow kRows[] = {
    {.type = "AVERAGE_POOL_2D", .newest = 3, .translate = average_pool},
    {.type = "MAX_POOL_2D", .newest = 3, .translate = max_pool},
    {.type = "L2_POOL_2D", .newest = 1, .translate = l2_pool},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::pooling_operators
