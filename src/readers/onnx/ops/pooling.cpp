// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Poolings.
#include "readers/onnx/ops/pooling.hpp"

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
    const Window window = pool_window(op);
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

Output average(Operator& op, const Output& x) {
    ModelAttributes attributes = pool_attributes(op);
    attributes.push_back({"exclude-pad", op.attributes.integer("count_include_pad", 0) == 0});
    return op.add("AvgPool", {x}, attributes);
}

}  // namespace fuseq::onnx_reader
