// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     move(f(q)) = f(move(q)) for f applied to each element and an operation that only
//            moves, repeats or drops elements; channel values follow their dimension.
//   Before:  DQ(q) -> Reshape | Squeeze | Unsqueeze | Transpose | Split | VariadicSplit |
//            StridedSlice | Slice | Gather | Tile | Broadcast | ShuffleChannels | DepthToSpace |
//            SpaceToDepth | Reverse | ReverseSequence | BatchToSpace | Roll
//   After:   the same (q) -> DQ after every output
//   Refuses: per-channel values where the channels of a result follow no single dimension
//            (channel_dimension), or where shapes are open (shape_not_known); a zero point beside
//            a Gather whose indices may lie outside the axis, where it reads zeros (pad_value).
//   Source:  the definitions of the operations.

#include "transformations/low_precision/laws/channel_tracking.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "ops/axes.hpp"
#include "transformations/support/constants.hpp"

namespace fuseq {
namespace {

bool reads_inside_the_axis(const Node& gather) {
    const Tensor* axis = known_constant(gather.input(2));
    const auto indices = evaluate_constant(gather.input(1));
    const PartialShape& source = gather.input(0).partial_shape();
    if (axis == nullptr || axis->get_size() != 1 || !indices || !source.is_static()) {
        return false;
    }
    const auto size = static_cast<std::int64_t>(
        source.to_shape()[wrapped_axis(to_ints(*axis)[0], source.rank())]);
    const std::vector<std::int64_t> values = to_ints(*indices);
    return std::all_of(values.begin(), values.end(),
                       [&](std::int64_t i) { return i >= -size && i < size; });
}

}  // namespace

LawResult move_through_data_movement(Node& node, const Dequantize& dq) {
    if (node.is("Gather") && dq.has_zero_point() && !reads_inside_the_axis(node)) {
        return LawResult::refused(
            "pad_value",
            "indices may lie outside the axis, where zeros are read, and the integer "
            "of zero is another one");
    }
    const auto after = track_channels(node, dq);
    if (!after) {
        const PartialShape& shape = node.input(0).partial_shape();
        return shape.is_static()
                   ? LawResult::refused(
                         "channel_dimension",
                         fmt::format("the channels of {} are no single dimension of {}",
                                     to_string(shape), to_string(node.port().shape)))
                   : LawResult::refused(
                         "shape_not_known",
                         fmt::format("where the channels of {} go is not known", to_string(shape)));
    }
    read_integers(node, dq);
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        put_dequantize_after(node, i, (*after)[i]);
    }
    return LawResult::moved();
}

}  // namespace fuseq
