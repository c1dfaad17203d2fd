// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes: what moves no element, and what is told of shapes.
#include <algorithm>
#include <limits>
#include <numeric>

#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/flatten.hpp"

namespace fuseq::onnx_reader::shape_operators {
namespace {

using Outputs = std::vector<Output>;

Outputs reshape(Operator& op) {
    const bool zero_copies = op.attributes.integer("allowzero", 0) == 0;
    return {op.add("Reshape", {op.input(0), op.input(1)}, {{"special_zero", zero_copies}})};
}

Outputs flatten_node(Operator& op) {
    const Output x = op.input(0);
    const std::int64_t axis = op.attributes.integer("axis", 1);
    const std::size_t rank = op.rank(x);
    const bool after_last = axis == static_cast<std::int64_t>(rank);
    return {flatten(op, x, after_last ? rank : op.axis(axis, std::max<std::size_t>(rank, 1)))};
}

Outputs squeeze_by_attribute(Operator& op) {
    const auto axes = op.attributes.integers("axes");
    return {axes.empty() ? op.add("Squeeze", {op.input(0)}) : op.squeeze(op.input(0), axes)};
}

Outputs squeeze_by_input(Operator& op) {
    return {op.has_input(1) ? op.add("Squeeze", {op.input(0), op.input(1)})
                            : op.add("Squeeze", {op.input(0)})};
}

Outputs unsqueeze_by_attribute(Operator& op) {
    op.require(op.attributes.has("axes"), "attribute axes is missing");
    return {op.add("Unsqueeze", {op.input(0), op.int_list(op.attributes.integers("axes"))})};
}

Outputs unsqueeze_by_input(Operator& op) {
    return {op.add("Unsqueeze", {op.input(0), op.input(1)})};
}

Outputs transpose(Operator& op) {
    const Output x = op.input(0);
    auto order = op.attributes.integers("perm");
    if (!op.attributes.has("perm")) {
        order.resize(op.rank(x));
        std::iota(order.rbegin(), order.rend(), 0);
    }
    return {op.transpose(x, order)};
}

Outputs expand(Operator& op) {
    return {
        op.add("Broadcast", {op.input(0), op.input(1)}, {{"mode", std::string("bidirectional")}})};
}

Outputs tile(Operator& op) {
    return {op.add("Tile", {op.input(0), op.input(1)})};
}

Outputs shape(Operator& op) {
    const Output sizes = op.shape_of(op.input(0));
    const std::int64_t start = op.attributes.integer("start", 0);
    if (start == 0 && !op.attributes.has("end")) {
        return {sizes};
    }
    // Clamped to the rank, as Slice does.
    const Output end = op.attributes.has("end")
                           ? op.int_list({op.attributes.integer("end", 0)})
                           : op.int_list({std::numeric_limits<std::int64_t>::max()});
    return {op.add("Slice", {sizes, op.int_list({start}), end, op.int_list({1})})};
}

Outputs size(Operator& op) {
    return {
        op.add("ReduceProd", {op.shape_of(op.input(0)), op.int_list({0})}, {{"keep_dims", false}})};
}

Outputs depth_to_space(Operator& op) {
    const std::string mode = op.attributes.text("mode", "DCR");
    op.require(mode == "DCR" || mode == "CRD", "attribute mode is '", mode,
               "', expected DCR or CRD");
    return {op.add("DepthToSpace", {op.input(0)},
                   {{"mode", std::string(mode == "DCR" ? "blocks_first" : "depth_first")},
                    {"block_size", op.attributes.required_integer("blocksize")}})};
}

Outputs space_to_depth(Operator& op) {
    return {op.add("SpaceToDepth", {op.input(0)},
                   {{"mode", std::string("blocks_first")},
                    {"block_size", op.attributes.required_integer("blocksize")}})};
}

const OperatorRow kRows[] = {
    {.type = "Reshape", .since = 5, .translate = reshape},
    {.type = "Flatten", .since = 1, .translate = flatten_node},
    {.type = "Squeeze", .since = 1, .translate = squeeze_by_attribute},
    {.type = "Squeeze", .since = 13, .translate = squeeze_by_input},
    {.type = "Unsqueeze", .since = 1, .translate = unsqueeze_by_attribute},
    {.type = "Unsqueeze", .since = 13, .translate = unsqueeze_by_input},
    {.type = "Transpose", .since = 1, .translate = transpose},
    {.type = "Expand", .since = 8, .translate = expand},
    {.type = "Tile", .since = 6, .translate = tile},
    {.type = "Shape", .since = 1, .translate = shape},
    {.type = "Size", .since = 1, .translate = size},
    {.type = "DepthToSpace", .since = 1, .translate = depth_to_space},
    {.type = "SpaceToDepth", .since = 1, .translate = space_to_depth},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::shape_operators
