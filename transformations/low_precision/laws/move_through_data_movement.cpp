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
//            (channel_dimension), or where shapes are open (shape_not_known).
//   Source:  the definitions of the operations.

#include "transformations/low_precision/laws/channel_tracking.hpp"

#include <fmt/core.h>

namespace fuseq {

LawResult move_through_data_movement(Node& node, const Dequantize& dq) {
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
