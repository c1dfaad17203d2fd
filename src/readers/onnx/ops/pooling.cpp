// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Poolings.
#include "readers/onnx/ops/pooling.hpp"

#include <algorithm>
#include <numeric>

#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/window.hpp"

namespace fuseq::onnx_reader::pooling_operators {
namespace {

using Outputs = std::vector<Output>;

Window pool_window(const Operator& op) {
    return read_window(op, op.attributes.integers("kernel_shape").size());
}

ModelAttributes attributes_of(const Operator& op, const Window& window) {
    ModelAttributes attributes = window.attributes();
    attributes.push_back({"kernel", window.kernel});
    // A window that would begin in the padding at the end is left out, as ONNX Runtime and PyTorch
    // do and the definition says since version 19.
    const bool ceil = op.attributes.integer("ceil_mode", 0) != 0;
    attributes.push_back({"rounding_type", std::string(ceil ? "ceil_torch" : "floor")});
    return attributes;
}

// Pads the end so far that every window lies in the padded source, which changes no size: averages
// divide by the whole window then, by the definition without the padding beyond the stated one.
void pad_last_windows(const Operator& op, Window& window) {
    const PartialShape& shape = op.input(0).partial_shape();
    if (window.auto_pad != "explicit" || op.attributes.integer("ceil_mode", 0) == 0 ||
        !shape.rank_is_static() || shape.rank() != window.kernel.size() + 2) {
        return;
    }
    const std::size_t first = op.attributes.integer("channels_last", 0) != 0 ? 1 : 2;
    for (std::size_t d = 0; d < window.kernel.size(); ++d) {
        const Dimension& size = shape[first + d];
        const std::int64_t reach = (window.kernel[d] - 1) * window.dilations[d] + 1;
        const std::int64_t from = size.is_static() ? size.get_length() + window.begin[d] : 0;
        const std::int64_t left = from + window.end[d] - reach;
        if (!size.is_static() || left < 0 || window.strides[d] <= 0) {
            continue;
        }
        std::int64_t steps = (left + window.strides[d] - 1) / window.strides[d];
        steps -= steps * window.strides[d] >= from ? 1 : 0;
        window.end[d] = std::max(window.end[d], steps * window.strides[d] + reach - from);
    }
}

Outputs max_pool(Operator& op) {
    ModelAttributes attributes = pool_attributes(op);
    attributes.push_back({"index_element_type", ElementType::i64});
    op.require(!op.has_output(1) || op.attributes.integer("storage_order", 0) == 0,
               "indices with storage_order=1 are not supported");
    fuseq::Node* node = op.node("MaxPool", {op.input(0)}, attributes);
    return op.has_output(1) ? Outputs{node->output(0), node->output(1)} : Outputs{node->output(0)};
}

Outputs average_pool(Operator& op) {
    return {average(op, op.input(0))};
}

// (sum |x|^p)^(1/p), the sum as a mean times the number of elements of a window.
Outputs lp_pool(Operator& op) {
    const Output x = op.input(0);
    const auto p = static_cast<double>(op.attributes.integer("p", 2));
    op.require(p >= 1, "attribute p is ", p, ", expected 1 or more");
    Window window = pool_window(op);
    pad_last_windows(op, window);
    ModelAttributes attributes = attributes_of(op, window);
    attributes.push_back({"exclude-pad", false});
    const Output powers = op.add("Power", {op.add("Abs", {x}), op.scalar(p, x)});
    const Output mean = op.add("AvgPool", {powers}, attributes);
    const auto count =
        std::accumulate(window.kernel.begin(), window.kernel.end(), 1.0,
                        [](double a, std::int64_t b) { return a * static_cast<double>(b); });
    const Output sum = op.add("Multiply", {mean, op.scalar(count, x)});
    return {op.add("Power", {sum, op.scalar(1 / p, x)})};
}

Output spatial_axes(Operator& op) {
    const std::size_t rank = op.rank(op.input(0));
    op.require(rank >= 2, "the input has rank ", rank, ", expected 3 or more");
    std::vector<std::int64_t> axes(rank - 2);
    std::iota(axes.begin(), axes.end(), 2);
    return op.int_list(axes);
}

Outputs global_average_pool(Operator& op) {
    return {op.add("ReduceMean", {op.input(0), spatial_axes(op)}, {{"keep_dims", true}})};
}

Outputs global_max_pool(Operator& op) {
    return {op.add("ReduceMax", {op.input(0), spatial_axes(op)}, {{"keep_dims", true}})};
}

Outputs global_lp_pool(Operator& op) {
    const Output x = op.input(0);
    const auto p = static_cast<double>(op.attributes.integer("p", 2));
    op.require(p >= 1, "attribute p is ", p, ", expected 1 or more");
    const Output powers = op.add("Power", {op.add("Abs", {x}), op.scalar(p, x)});
    const Output sum = op.add("ReduceSum", {powers, spatial_axes(op)}, {{"keep_dims", true}});
    return {op.add("Power", {sum, op.scalar(1 / p, x)})};
}

const OperatorRow kRows[] = {
    {.type = "MaxPool",
     .since = 1,
     .translate = max_pool,
     .note = "indices with storage_order=1 refused"},
    {.type = "AveragePool", .since = 1, .translate = average_pool},
    {.type = "LpPool", .since = 2, .translate = lp_pool},
    {.type = "GlobalAveragePool", .since = 1, .translate = global_average_pool},
    {.type = "GlobalMaxPool", .since = 1, .translate = global_max_pool},
    {.type = "GlobalLpPool", .since = 2, .translate = global_lp_pool},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::pooling_operators

namespace fuseq::onnx_reader {

ModelAttributes pool_attributes(const Operator& op) {
    return pooling_operators::attributes_of(op, pooling_operators::pool_window(op));
}

ModelAttributes whole_window_attributes(const Operator& op) {
    Window window = pooling_operators::pool_window(op);
    pooling_operators::pad_last_windows(op, window);
    return pooling_operators::attributes_of(op, window);
}

Output average(Operator& op, const Output& x) {
    ModelAttributes attributes = pool_attributes(op);
    attributes.push_back({"exclude-pad", op.attributes.integer("count_include_pad", 0) == 0});
    return op.add("AvgPool", {x}, attributes);
}

}  // namespace fuseq::onnx_reader
