// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/channel_movement.hpp"

#include <algorithm>

#include "transformations/support/attributes.hpp"
#include "transformations/support/constants.hpp"

namespace fuseq {

std::size_t channel_count(const Output& port) {
    const PartialShape& shape = port.partial_shape();
    return shape.rank_is_static() && shape.rank() >= 2 && shape[1].is_static()
               ? static_cast<std::size_t>(shape[1].get_length())
               : 0;
}

bool concatenates_channels(const Node& node) {
    if (!node.is("Concat") || !node.port().shape.rank_is_static()) {
        return false;
    }
    const std::int64_t axis = attribute<std::int64_t>(node, "axis");
    const auto rank = static_cast<std::int64_t>(node.port().shape.rank());
    const bool known = std::all_of(node.inputs().begin(), node.inputs().end(),
                                   [](const Output& input) { return channel_count(input) > 0; });
    return known && (axis < 0 ? axis + rank : axis) == 1;
}

bool is_channel_axis(const Output& axis, const Output& data) {
    if (!data.partial_shape().rank_is_static()) {
        return false;
    }
    const auto value = constant_number(axis);
    const auto rank = static_cast<double>(data.partial_shape().rank());
    return value && (*value < 0 ? *value + rank : *value) == 1;
}

std::optional<std::vector<std::int64_t>> gathered_channels(const Node& node) {
    if (!node.is("Gather") || !is_channel_axis(node.input(2), node.input(0)) ||
        !node.input(1).partial_shape().rank_is_static() ||
        node.input(1).partial_shape().rank() != 1) {
        return std::nullopt;
    }
    const auto indices = evaluate_constant(node.input(1));
    if (!indices) {
        return std::nullopt;
    }
    std::vector<std::int64_t> channels = to_ints(*indices);
    const auto size = static_cast<std::int64_t>(channel_count(node.input(0)));
    for (std::int64_t& channel : channels) {
        channel += channel < 0 ? size : 0;
        if (channel < 0 || channel >= size) {
            return std::nullopt;  // reads zeros; size 0 when it is not known
        }
    }
    return channels;
}

}  // namespace fuseq
