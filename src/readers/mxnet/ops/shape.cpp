// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What moves elements, and means over axes.
#include <limits>
#include <numeric>

#include "readers/mxnet/operator_table.hpp"

namespace fuseq::mxnet_reader::shape_operators {
namespace {

using Outputs = std::vector<Output>;

Outputs flatten(Operator& op) {
    return {op.reshape(op.input(0), {0, -1})};
}

// 0 copies a size, -1 is what is left; the other codes are refused.
Outputs reshape(Operator& op) {
    const std::vector<std::int64_t> sizes = op.attributes.integers("shape");
    op.require(!op.attributes.flag("reverse", false), "reverse is not supported");
    for (const std::int64_t size : sizes) {
        op.require(size >= -1, "attribute shape has the code ", size,
                   ", sizes, 0 and -1 are supported");
    }
    return {op.reshape(op.input(0), sizes)};
}

Outputs concat(Operator& op) {
    op.require(op.input_count() > 0, "has no inputs");
    return {op.add("Concat", op.inputs(), {{"axis", op.attributes.integer("dim", 1)}})};
}

Outputs transpose(Operator& op) {
    std::vector<std::int64_t> axes = op.attributes.integers("axes");
    if (axes.empty()) {
        axes.resize(op.rank(op.input(0)));
        std::iota(axes.rbegin(), axes.rend(), 0);
    }
    return {op.transpose(op.input(0), axes)};
}

Outputs reduce(Operator& op) {
    op.require(!op.attributes.flag("exclude", false), "exclude is not supported");
    const std::vector<std::int64_t> stated = op.attributes.integers("axis");
    const Output axes = stated.empty() ? op.all_axes(op.input(0)) : op.int_list(stated);
    const char* type = op.type() == "mean"  ? "ReduceMean"
                       : op.type() == "max" ? "ReduceMax"
                                            : "ReduceSum";
    return {
        op.add(type, {op.input(0), axes}, {{"keep_dims", op.attributes.flag("keepdims", false)}})};
}

Outputs expand_dims(Operator& op) {
    return {op.unsqueeze(op.input(0), {op.attributes.integer("axis", 0)})};
}

Outputs squeeze(Operator& op) {
    const std::vector<std::int64_t> axes = op.attributes.integers("axis");
    return {axes.empty() ? op.add("Squeeze", {op.input(0)}) : op.squeeze(op.input(0), axes)};
}

Outputs slice_axis(Operator& op) {
    const std::int64_t end = op.attributes.integer("end", std::numeric_limits<std::int64_t>::max());
    return {op.add(
        "Slice", {op.input(0), op.int_list({op.attributes.integer("begin", 0)}), op.int_list({end}),
                  op.int_list({1}), op.int_list({op.attributes.integer("axis", 0)})})};
}

const OperatorRow kRows[] = {
    {"Concat", concat},
    {"Flatten", flatten},
    {"Reshape", reshape, "sizes, 0 and -1"},
    {"concat", concat},
    {"expand_dims", expand_dims},
    {"flatten", flatten},
    {"max", reduce},
    {"mean", reduce},
    {"reshape", reshape, "sizes, 0 and -1"},
    {"slice_axis", slice_axis},
    {"squeeze", squeeze},
    {"sum", reduce},
    {"transpose", transpose},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::mxnet_reader::shape_operators
