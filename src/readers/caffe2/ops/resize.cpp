// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Nearest neighbours and channel shuffles: integers are moved, not changed.
#include <cmath>

#include "readers/caffe2/operator_table.hpp"

namespace fuseq::caffe2_reader::resize_operators {
namespace {

std::vector<std::int64_t> result_sizes(Operator& op, const Output& x) {
    const char* names[] = {"height_scale", "width_scale"};
    std::vector<std::int64_t> sizes;
    for (std::size_t d = 0; d < 2; ++d) {
        const float scale = op.real(names[d], 1);
        constexpr float kLargest = 1 << 16;
        op.require(scale > 0 && scale < kLargest, names[d], " is ", scale,
                   ", expected a value above 0");
        const Dimension size = x.partial_shape()[d + 2];
        op.require(size.is_static(), "the sizes of '", op.input_name(0), "' are not known");
        sizes.push_back(static_cast<std::int64_t>(static_cast<float>(size.get_length()) * scale));
        op.require(sizes.back() >= 1, "the result has a size of 0");
    }
    return sizes;
}

// Row y of the result is row int(y / scale) of the image, at most the last.
Output nearest(Operator& op, const Output& x) {
    const std::vector<std::int64_t> sizes = result_sizes(op, x);
    const char* names[] = {"height_scale", "width_scale"};
    Output result = x;
    for (std::size_t d = 0; d < 2; ++d) {
        const float scale = op.real(names[d], 1);
        const std::int64_t last = x.partial_shape()[d + 2].get_length() - 1;
        std::vector<std::int64_t> from;
        for (std::int64_t y = 0; y < sizes[d]; ++y) {
            from.push_back(
                std::min(static_cast<std::int64_t>(static_cast<float>(y) / scale), last));
        }
        result = op.add(
            "Gather", {result, op.int_list(from), op.int_scalar(static_cast<std::int64_t>(d) + 2)});
    }
    return result;
}

Values resize(Operator& op) {
    const bool nhwc = op.is_nhwc();
    op.require(!op.value(0).grid, "input 0 is quantized, the operator takes real numbers");
    return op.image_result(nearest(op, op.image(0, nhwc)), nhwc);
}

Values quantized_resize(Operator& op) {
    op.require_grid_of(0);
    return op.image_result(nearest(op, op.image(0, true)), true, op.grid(0));
}

Output shuffled(Operator& op, const Output& x) {
    const std::int64_t group = op.integer("group", 1);
    const Dimension channels = x.partial_shape()[1];
    op.require(group >= 1 && (!channels.is_static() || channels.get_length() % group == 0),
               "group is ", group, ", the input has shape ", to_string(x.partial_shape()),
               " (channels second)");
    return op.add("ShuffleChannels", {x}, {{"axis", std::int64_t{1}}, {"group", group}});
}

Values shuffle(Operator& op) {
    const bool nhwc = op.is_nhwc();
    op.require(!op.value(0).grid, "input 0 is quantized, the operator takes real numbers");
    return op.image_result(shuffled(op, op.image(0, nhwc)), nhwc);
}

Values quantized_shuffle(Operator& op) {
    op.require_grid_of(0);
    return op.image_result(shuffled(op, op.image(0, true)), true, op.grid(0));
}

const OperatorRow kRows[] = {
    {"ChannelShuffle", shuffle},
    {"Int8ChannelShuffle", quantized_shuffle, "one grid for input and output"},
    {"Int8ResizeNearest", quantized_resize, "one grid for input and output; known sizes"},
    {"ResizeNearest", resize, "known sizes"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::caffe2_reader::resize_operators
