// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     the pixels that SpaceToBatch adds are zeros: the integer 0 is the value 0 where the
//            zero point is 0; all others only move.
//   Before:  DQ(q) -> SpaceToBatch      After:  SpaceToBatch(q) -> DQ
//   Refuses: a zero point beside pads that are not zero, or not known (pad_value), values per
//            channel (per_channel_scale).
//   Source:  the definition of SpaceToBatch.
#include <algorithm>

#include <fmt/core.h>

#include "transformations/low_precision/laws/law.hpp"
#include "transformations/support/constants.hpp"

namespace fuseq {
namespace {

bool pads_nothing(const Node& node) {
    for (const std::size_t i : {2, 3}) {
        const auto pads = evaluate_constant(node.input(i));
        if (!pads) {
            return false;
        }
        const std::vector<std::int64_t> values = to_ints(*pads);
        if (std::any_of(values.begin(), values.end(), [](std::int64_t v) { return v != 0; })) {
            return false;
        }
    }
    return true;
}

}  // namespace

LawResult move_through_space_to_batch(Node& node, const Dequantize& dq) {
    if (!dq.per_tensor()) {
        return LawResult::refused("per_channel_scale", "the source is quantized per channel");
    }
    if (dq.zero_point[0] != 0 && !pads_nothing(node)) {
        return LawResult::refused(
            "pad_value", fmt::format("the zero point is {:g}, pads are zeros", dq.zero_point[0]));
    }
    read_integers(node, dq);
    put_dequantize_after(node, 0, dq);
    return LawResult::moved();
}

}  // namespace fuseq
