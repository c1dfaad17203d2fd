// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     reshape(f(q)) = f(reshape(q)) for f applied to each element.
//   Before:  DQ(q) -> Reshape | Squeeze | Unsqueeze      After:  the same (q) -> DQ
//            Per-channel values go along when the channel dimension survives: the product of the
//            sizes in front of it and its own size are the same behind.
//   Refuses: per-channel values whose dimension is merged, split or of unknown place
//            (channel_dimension).
//   Source:  the definition of Reshape.
#include <cstdint>
#include <optional>

#include "transformations/low_precision/laws/law.hpp"

namespace fuseq {
namespace {

// Dimension of `after` that holds what `axis` held in `before`.
std::optional<std::size_t> surviving_axis(const PartialShape& before,
                                          const PartialShape& after,
                                          std::size_t axis) {
    if (!after.rank_is_static()) {
        return std::nullopt;
    }
    // Equal leading dimensions, known or not, hold the same elements.
    std::size_t same = 0;
    while (same < axis && same < after.rank() && before[same] == after[same]) {
        ++same;
    }
    if (same == axis && axis < after.rank() && before[axis] == after[axis] &&
        before[axis].is_static()) {
        return axis;
    }
    std::int64_t in_front = 1;
    for (std::size_t d = 0; d < axis; ++d) {
        if (before[d].is_dynamic()) {
            return std::nullopt;
        }
        in_front *= before[d].get_length();
    }
    std::int64_t product = 1;
    for (std::size_t d = 0; d < after.rank(); ++d) {
        if (after[d].is_dynamic()) {
            return std::nullopt;
        }
        if (product == in_front && after[d] == before[axis]) {
            return d;
        }
        product *= after[d].get_length();
    }
    return std::nullopt;
}

}  // namespace

LawResult move_through_reshape(Node& node, const Dequantize& dq) {
    Dequantize behind = dq;
    if (!dq.per_tensor()) {
        const auto axis =
            surviving_axis(node.input(0).partial_shape(), node.port().shape, dq.axis());
        if (!axis) {
            return LawResult::refused(
                "channel_dimension",
                detail::cat("the channels of ", to_string(node.input(0).partial_shape()),
                            " are no dimension of ", to_string(node.port().shape)));
        }
        behind = moved_to_axis(dq, *axis);
    }
    read_integers(node, dq);
    put_dequantize_behind(node, 0, behind);
    return LawResult::moved();
}

}  // namespace fuseq
