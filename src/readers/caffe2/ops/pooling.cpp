// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Poolings.
#include "readers/caffe2/operator_table.hpp"
#include "readers/caffe2/ops/window.hpp"

namespace fuseq::caffe2_reader::pooling_operators {
namespace {

// global_pooling: the window is the image.
Window pool_window(Operator& op, const Output& x) {
    if (op.integer("global_pooling", 0) == 0) {
        op.require(op.has("kernel") || op.has("kernels") || op.has("kernel_h"), "has no kernel");
        return read_window(op, {});
    }
    const PartialShape& shape = x.partial_shape();
    op.require(shape[2].is_static() && shape[3].is_static(), "global_pooling: the sizes of '",
               op.input_name(0), "' are not known, they are ", to_string(shape),
               " (channels second); value_info.json beside the net says the shape of its input");
    return {.kernel = {shape[2].get_length(), shape[3].get_length()},
            .strides = {1, 1},
            .dilations = {1, 1},
            .begin = {0, 0},
            .end = {0, 0}};
}

ModelAttributes attributes_of(const Operator& op, const Window& window, bool dilated) {
    op.require(window.dilations[0] == 1 && window.dilations[1] == 1,
               "dilations of poolings are not supported");
    ModelAttributes attributes{{"strides", window.strides},
                               {"pads_begin", window.begin},
                               {"pads_end", window.end},
                               {"auto_pad", window.auto_pad},
                               {"kernel", window.kernel},
                               {"rounding_type", std::string(window.ceil ? "ceil" : "floor")}};
    if (dilated) {
        attributes.push_back({"dilations", window.dilations});
    }
    return attributes;
}

Values max_pool(Operator& op) {
    const bool nhwc = op.is_nhwc();
    op.require(!op.value(0).grid, "input 0 is quantized, the operator takes real numbers");
    const Output x = op.image(0, nhwc);
    return op.image_result(op.add("MaxPool", {x}, attributes_of(op, pool_window(op, x), true)),
                           nhwc);
}

Values average_pool(Operator& op) {
    const bool nhwc = op.is_nhwc();
    op.require(!op.value(0).grid, "input 0 is quantized, the operator takes real numbers");
    const Output x = op.image(0, nhwc);
    ModelAttributes attributes = attributes_of(op, pool_window(op, x), false);
    attributes.push_back({"exclude-pad", op.integer("count_include_pad", 0) == 0});
    return op.image_result(op.add("AvgPool", {x}, attributes), nhwc);
}

void require_nhwc(const Operator& op) {
    op.require(op.text("order", "NCHW") == "NHWC", "order is '", op.text("order", "NCHW"),
               "', Int8 poolings take NHWC");
}

template <bool kRelu>
Values quantized_max_pool(Operator& op) {
    require_nhwc(op);
    op.require_grid_of(0);
    const Output x = op.image(0, true);
    ModelAttributes attributes = op.grids({0}, op.grid(0), kRelu);
    for (const auto& one : attributes_of(op, pool_window(op, x), false)) {
        attributes.push_back(one);
    }
    return op.image_result(op.add("QuantizedMaxPool", {x}, attributes), true, op.grid(0));
}

ModelAttributes byte_grids(const Grid& grid, ElementType from, ElementType to) {
    const auto zero = [&](ElementType type) {
        return grid.zero_point + (type == ElementType::u8 ? kOffset : 0);
    };
    return {{"method", kMethod},
            {"input_scales", std::vector<float>{grid.scale}},
            {"input_zero_points", std::vector<std::int64_t>{zero(from)}},
            {"output_scale", grid.scale},
            {"output_zero_point", zero(to)},
            {"output_type", to}};
}

// The mean of the bytes themselves, ties up. That is not the mean of the same less 128, where ties
// below zero go down, so an average is one of bytes.
template <bool kRelu>
Values quantized_average_pool(Operator& op) {
    require_nhwc(op);
    op.require_grid_of(0);
    const Grid grid = op.grid(0);
    const Output x = op.image(0, true);
    const Output bytes =
        op.add("Requantize", {x}, byte_grids(grid, ElementType::i8, ElementType::u8));
    ModelAttributes attributes = byte_grids(grid, ElementType::u8, ElementType::u8);
    if (kRelu) {
        attributes.push_back({"clamp_min", grid.zero_point + kOffset});
    }
    for (const auto& one : attributes_of(op, pool_window(op, x), false)) {
        attributes.push_back(one);
    }
    const Output mean = op.add("QuantizedAveragePool", {bytes}, attributes);
    return op.image_result(
        op.add("Requantize", {mean}, byte_grids(grid, ElementType::u8, ElementType::i8)), true,
        grid);
}

const OperatorRow kRows[] = {
    {"AveragePool", average_pool},
    {"Int8AveragePool", quantized_average_pool<false>, "one grid for input and output"},
    {"Int8AveragePoolRelu", quantized_average_pool<true>, "one grid for input and output"},
    {"Int8MaxPool", quantized_max_pool<false>, "one grid for input and output"},
    {"Int8MaxPoolRelu", quantized_max_pool<true>, "one grid for input and output"},
    {"MaxPool", max_pool},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::caffe2_reader::pooling_operators
