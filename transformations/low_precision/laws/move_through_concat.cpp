// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     concat(f(a), f(b), ...) = f(concat(a, b, ...)) for f applied to each element.
//            Along the channels the inputs may differ in f: f of the result differs by channel.
//   Before:  DQ(a), DQ(b), ... -> Concat      After:  Concat(a, b, ...) -> DQ
//            Different scales become one DQ per channel: depthwise convolutions and element-wise
//            operations take it as it is, dense convolutions part by part.
//   Refuses: an input that is not dequantized (input_not_quantized), integers of different types
//            (different_types), different scales or zero points along another dimension than 1
//            (different_scales).
//   Source:  the definition of Concat.
#include <algorithm>

#include <fmt/core.h>

#include "transformations/low_precision/laws/law.hpp"
#include "transformations/support/attributes.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace {

// One value a channel of the concatenated tensor, or nothing when a size is not known.
std::optional<Dequantize> concatenated(const std::vector<Dequantize>& inputs,
                                       const Node& concat,
                                       std::size_t axis) {
    std::vector<float> scales;
    std::vector<float> zero_points;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Dimension& size = concat.input(i).partial_shape()[axis];
        const bool other_axis = !inputs[i].per_tensor() && inputs[i].axis() != axis;
        if (size.is_dynamic() || other_axis) {
            return std::nullopt;
        }
        for (std::int64_t c = 0; c < size.get_length(); ++c) {
            scales.push_back(inputs[i].scale[static_cast<std::size_t>(c)]);
            zero_points.push_back(inputs[i].zero_point[static_cast<std::size_t>(c)]);
        }
    }
    Dequantize dq = inputs.front();
    dq.scale = {std::move(scales), axis};
    dq.zero_point = {std::move(zero_points), axis};
    return dq;
}

LawResult collect(Node& node, std::vector<Dequantize>& inputs) {
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        const auto dq = match_dequantize(node.input(i));
        if (!dq) {
            return LawResult::refused(
                "input_not_quantized",
                fmt::format("input {}, {}, is in float", i, describe(*node.input_node(i))));
        }
        if (!inputs.empty() && dq->q.type() != inputs.front().q.type()) {
            return LawResult::refused("different_types", "inputs are u8 and i8");
        }
        inputs.push_back(*dq);
    }
    return LawResult::moved();
}

}  // namespace

LawResult move_through_concat(Node& node, const Dequantize& dq) {
    std::vector<Dequantize> inputs;
    if (LawResult result = collect(node, inputs); !result) {
        return result;
    }
    const std::size_t rank = node.port().shape.rank();
    const std::int64_t stated = attribute<std::int64_t>(node, "axis");
    const auto axis =
        static_cast<std::size_t>(stated < 0 ? stated + static_cast<std::int64_t>(rank) : stated);
    const bool equal = std::all_of(inputs.begin(), inputs.end(),
                                   [&](const Dequantize& other) { return other.same_mapping(dq); });
    Dequantize after = dq;
    if (!equal || (!dq.per_tensor() && dq.axis() == axis)) {
        const auto joined = concatenated(inputs, node, axis);
        if (!joined || (!joined->per_tensor() && axis != 1)) {
            return LawResult::refused(
                "different_scales",
                fmt::format("the inputs have different scales or zero points along dimension {}",
                            axis));
        }
        after = *joined;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        for (const std::string& origin : inputs[i].origins) {
            if (std::find(after.origins.begin(), after.origins.end(), origin) ==
                after.origins.end()) {
                after.origins.push_back(origin);
            }
        }
        node.set_input(i, inputs[i].q);
    }
    node.infer();
    put_dequantize_after(node, 0, after);
    return LawResult::moved();
}

}  // namespace fuseq
