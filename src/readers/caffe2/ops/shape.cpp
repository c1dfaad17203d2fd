// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What moves elements, of real numbers and quantized tensors alike.
#include <algorithm>
#include <limits>
#include <numeric>

#include "readers/caffe2/operator_table.hpp"

namespace fuseq::caffe2_reader::shape_operators {
namespace {

bool is_int8(const Operator& op) {
    return op.type().starts_with("Int8");
}

// Input 0 in the order of the file; its grid must be as the operator says.
Output source(Operator& op) {
    if (is_int8(op)) {
        op.require_grid_of(0);
        return op.stored(0);
    }
    return op.input(0);
}

std::optional<Grid> grid_of(const Operator& op) {
    return op.value(0).grid;
}

Values flatten(Operator& op) {
    const Output x = source(op);
    const std::int64_t stated = op.integer("axis", 1);
    if (stated == 1) {
        return plain(op.reshape(x, {0, -1}), grid_of(op));
    }
    op.require(x.partial_shape().is_static(), "axis is ", stated,
               " and the shape of the input is not known");
    const Shape shape = x.shape();
    op.require(stated >= 0 && static_cast<std::size_t>(stated) <= shape.size(), "axis is ", stated,
               ", the rank is ", shape.size());
    std::int64_t rows = 1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(stated); ++d) {
        rows *= static_cast<std::int64_t>(shape[d]);
    }
    return plain(op.reshape(x, {rows, -1}), grid_of(op));
}

// The second output is the old shape.
Values reshape(Operator& op) {
    const Output x = source(op);
    const std::vector<std::int64_t> sizes =
        op.has("shape") ? op.integers("shape") : op.ints(op.stored(1), "the new shape");
    Values values = plain(op.reshape(x, sizes), grid_of(op));
    values.push_back({.plain = op.shape_of(x)});
    return values;
}

Values transpose(Operator& op) {
    const Output x = source(op);
    std::vector<std::int64_t> axes = op.integers("axes");
    if (axes.empty()) {
        axes.resize(op.rank(x));
        std::iota(axes.rbegin(), axes.rend(), 0);
    }
    return plain(op.transpose(x, axes), grid_of(op));
}

std::int64_t concat_axis(const Operator& op) {
    const std::int64_t otherwise = !op.has("order") ? is_int8(op) ? 0 : 1 : op.is_nhwc() ? 3 : 1;
    return op.integer("axis", otherwise);
}

// The second output, the sizes of the parts, is of use to gradients only.
Values concat(Operator& op) {
    op.require(op.input_count() > 0, "has no inputs");
    const std::int64_t axis = concat_axis(op);
    op.require(op.integer("add_axis", 0) == 0, "add_axis is not supported");
    bool images = is_int8(op) && axis == 3;
    for (std::size_t i = 0; i < op.input_count(); ++i) {
        images = images && op.value(i).image && !op.value(i).plain;
        if (is_int8(op)) {
            op.require_grid_of(i);
        }
    }
    std::vector<Output> parts;
    for (std::size_t i = 0; i < op.input_count(); ++i) {
        parts.push_back(images ? op.image(i, true) : is_int8(op) ? op.stored(i) : op.input(i));
    }
    if (images) {
        return op.image_result(op.add("Concat", parts, {{"axis", std::int64_t{1}}}), true,
                               grid_of(op));
    }
    return plain(op.add("Concat", parts, {{"axis", axis}}), grid_of(op));
}

// ends: one past the last, or from -1, the end itself, downwards.
Values slice(Operator& op) {
    const Output x = source(op);
    const std::size_t rank = op.rank(x);
    std::vector<std::int64_t> starts = op.integers("starts");
    std::vector<std::int64_t> ends = op.integers("ends");
    if (op.input_count() > 2) {
        starts = op.ints(op.stored(1), "the list of starts");
        ends = op.ints(op.stored(2), "the list of ends");
    } else if (op.has("dim") && op.has("start_idx") && op.has("end_idx")) {
        starts.assign(rank, 0);
        ends.assign(rank, -1);
        const std::size_t dim = op.axis(op.integer("dim", 0), rank);
        starts[dim] = op.integer("start_idx", 0);
        ends[dim] = op.integer("end_idx", -1);
    }
    op.require(starts.size() == ends.size() && starts.size() <= rank, "has ", starts.size(),
               " starts and ", ends.size(), " ends, the rank is ", rank);
    for (std::size_t d = 0; d < ends.size(); ++d) {
        op.require(starts[d] >= 0, "start ", d, " is ", starts[d], ", expected 0 or more");
        ends[d] = ends[d] == -1  ? std::numeric_limits<std::int64_t>::max()
                  : ends[d] < -1 ? ends[d] + 1
                                 : ends[d];
    }
    const std::vector<std::int64_t> steps(starts.size(), 1);
    return plain(op.add("Slice", {x, op.int_list(starts), op.int_list(ends), op.int_list(steps)}),
                 grid_of(op));
}

Values squeeze(Operator& op) {
    return plain(op.squeeze(op.input(0), op.integers("dims")));
}

Values expand_dims(Operator& op) {
    return plain(op.unsqueeze(op.input(0), op.integers("dims")));
}

Values to_channels_last(Operator& op) {
    return plain(op.transpose(op.input(0), {0, 2, 3, 1}));
}

Values to_channels_first(Operator& op) {
    return plain(op.transpose(op.input(0), {0, 3, 1, 2}));
}

const OperatorRow kRows[] = {
    {"Concat", concat, "add_axis refused"},
    {"ExpandDims", expand_dims},
    {"Flatten", flatten},
    {"Int8Concat", concat, "one grid for all inputs and the output"},
    {"Int8Flatten", flatten, "one grid for input and output"},
    {"Int8Reshape", reshape, "one grid for input and output"},
    {"Int8Slice", slice, "one grid for input and output"},
    {"Int8Transpose", transpose, "one grid for input and output"},
    {"NCHW2NHWC", to_channels_last},
    {"NHWC2NCHW", to_channels_first},
    {"Reshape", reshape},
    {"Slice", slice},
    {"Squeeze", squeeze},
    {"Transpose", transpose},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::caffe2_reader::shape_operators
