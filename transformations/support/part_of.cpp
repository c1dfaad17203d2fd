// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/part_of.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "ops/axes.hpp"
#include "ops/gather.hpp"
#include "ops/op_spec.hpp"
#include "ops/slicing.hpp"
#include "ops/strided_slice.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace {

using Ints = std::vector<std::int64_t>;

std::optional<Ints> known_ints(const Node& node, std::size_t input) {
    const Tensor* value = node.input_count() > input && node.has_input(input)
                              ? known_constant(node.input(input))
                              : nullptr;
    return value == nullptr ? std::nullopt : std::optional(to_ints(*value));
}

std::optional<std::size_t> known_axis(const Node& node, std::size_t input, std::size_t rank) {
    const auto values = known_ints(node, input);
    const auto signed_rank = static_cast<std::int64_t>(rank);
    if (!values || values->size() != 1 || (*values)[0] < -signed_rank ||
        (*values)[0] >= signed_rank) {
        return std::nullopt;
    }
    return wrapped_axis((*values)[0], rank);
}

std::optional<Part> part_of_split(const Output& port, const PartialShape& source) {
    const Node& node = *port.node;
    const auto axis = known_axis(node, 1, source.rank());
    if (!axis) {
        return std::nullopt;
    }
    Part part{*axis};
    for (std::size_t i = 0; i <= port.index; ++i) {
        const PartialShape& shape = node.port(i).shape;
        if (!shape.rank_is_static() || !shape[*axis].is_static()) {
            return std::nullopt;
        }
        part.begin += part.size;
        part.size = shape[*axis].get_length();
    }
    return part;
}

std::optional<Part> part_of_gather(const Node& node, const PartialShape& source) {
    const auto axis = known_axis(node, 2, source.rank());
    const auto indices = known_ints(node, 1);
    const bool batched = node.spec().version != 1 && node.attrs<GatherAttrs>().batch_dims != 0;
    if (!axis || !indices || indices->size() != 1 || !source[*axis].is_static() || batched ||
        node.input(1).partial_shape().rank() > 1) {
        return std::nullopt;
    }
    const std::int64_t size = source[*axis].get_length();
    const std::int64_t index = (*indices)[0] < 0 ? (*indices)[0] + size : (*indices)[0];
    if (index < 0 || index >= size) {
        return std::nullopt;  // reads zeros
    }
    return Part{*axis, index, 1, node.input(1).partial_shape().rank() == 0};
}

// What a slice does along one axis.
struct Cut {
    std::size_t axis;
    SliceRange range;
    bool drops_axis = false;
};

bool is_whole(const SliceRange& range, const Dimension& size) {
    constexpr std::int64_t kLarge = std::numeric_limits<std::int32_t>::max();
    if (size.is_static()) {
        return resolve_slice(range, size.get_length()).length == size.get_length();
    }
    return range.begin == 0 && range.end >= kLarge;
}

// The only one that takes less than all.
std::optional<Part> part_of_cuts(const std::vector<Cut>& cuts, const PartialShape& source) {
    std::optional<Part> part;
    for (const Cut& cut : cuts) {
        if (cut.range.step != 1) {
            return std::nullopt;
        }
        const Dimension& size = source[cut.axis];
        if (!cut.drops_axis && is_whole(cut.range, size)) {
            continue;
        }
        if (part || !size.is_static()) {
            return std::nullopt;
        }
        const SliceResult taken = resolve_slice(cut.range, size.get_length());
        if (taken.length < 1) {
            return std::nullopt;
        }
        part = Part{cut.axis, taken.start, cut.drops_axis ? 1 : taken.length, cut.drops_axis};
    }
    return part;
}

std::optional<Part> part_of_slice(const Node& node, const PartialShape& source) {
    const auto begin = known_ints(node, 1);
    const auto end = known_ints(node, 2);
    const auto step = known_ints(node, 3);
    if (!begin || !end || !step) {
        return std::nullopt;
    }
    const bool names_axes = node.input_count() > 4 && node.has_input(4);
    const auto axes = known_ints(node, 4);
    if (names_axes && !axes) {
        return std::nullopt;
    }
    std::vector<Cut> cuts;
    for (std::size_t i = 0; i < begin->size(); ++i) {
        const std::int64_t axis = axes ? (*axes)[i] : static_cast<std::int64_t>(i);
        cuts.push_back(
            {wrapped_axis(axis, source.rank()), {(*begin)[i], (*end)[i], (*step)[i]}, false});
    }
    return part_of_cuts(cuts, source);
}

bool any_set(const Ints& mask) {
    return std::any_of(mask.begin(), mask.end(), [](std::int64_t value) { return value != 0; });
}

std::optional<Part> part_of_strided_slice(const Node& node, const PartialShape& source) {
    const auto& attributes = node.attrs<StridedSliceAttrs>();
    const auto begin = known_ints(node, 1);
    const auto end = known_ints(node, 2);
    const auto step = node.input_count() > 3 && node.has_input(3)
                          ? known_ints(node, 3)
                          : std::optional(Ints(begin ? begin->size() : 0, 1));
    if (!begin || !end || !step || any_set(attributes.new_axis_mask) ||
        any_set(attributes.ellipsis_mask) || begin->size() > source.rank()) {
        return std::nullopt;
    }
    const auto is_set = [](const Ints& mask, std::size_t i) {
        return i < mask.size() && mask[i] == 1;
    };
    std::vector<Cut> cuts;
    for (std::size_t i = 0; i < begin->size(); ++i) {
        Cut cut{i, {(*begin)[i], (*end)[i], (*step)[i]}, is_set(attributes.shrink_axis_mask, i)};
        if (cut.drops_axis) {
            cut.range.end = cut.range.begin == -1 ? SliceRange::kHighest : cut.range.begin + 1;
            cut.range.step = 1;
        } else {
            cut.range.begin = is_set(attributes.begin_mask, i) ? 0 : cut.range.begin;
            cut.range.end = is_set(attributes.end_mask, i) ? SliceRange::kHighest : cut.range.end;
        }
        cuts.push_back(cut);
    }
    return part_of_cuts(cuts, source);
}

}  // namespace

std::optional<Part> part_of(const Output& port) {
    const Node& node = *port.node;
    if (!is_one_of(node, {"Split", "VariadicSplit", "Gather", "Slice", "StridedSlice"}) ||
        !node.input(0).partial_shape().rank_is_static()) {
        return std::nullopt;
    }
    const PartialShape& source = node.input(0).partial_shape();
    if (node.is("Gather")) {
        return part_of_gather(node, source);
    }
    if (node.is("Slice")) {
        return part_of_slice(node, source);
    }
    return node.is("StridedSlice") ? part_of_strided_slice(node, source)
                                   : part_of_split(port, source);
}

}  // namespace fuseq
