// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     mean of (q - z) * s = (mean of q - z) * s. The mean is no integer: it is taken in f32.
//   Before:  DQ(q) -> AvgPool | ReduceMean
//   After:   the same (q) output_type=f32 -> Subtract(z) -> Multiply(s)
//   Refuses: a zero point where the mean counts padding as zero (padding_counts) or where a window
//            lies in padding alone, whose mean is zero too (window_in_padding), values per channel
//            whose dimension is averaged (channel_dimension).
//   Source:  linearity of the mean.
#include <algorithm>

#include "ops/pooling.hpp"
#include "ops/reduce.hpp"
#include "transformations/low_precision/laws/law.hpp"

namespace fuseq {
namespace {

bool counts_padding(const AverageAttrs& attrs) {
    const auto positive = [](std::int64_t pad) { return pad > 0; };
    const bool same =
        attrs.auto_pad == AutoPad::kSameUpper || attrs.auto_pad == AutoPad::kSameLower;
    return !attrs.exclude_pad &&
           (same || std::any_of(attrs.pads_begin.begin(), attrs.pads_begin.end(), positive) ||
            std::any_of(attrs.pads_end.begin(), attrs.pads_end.end(), positive));
}

// Whether a window may meet no element of the source; of sizes that are not known, it may.
bool may_lie_in_padding(const Node& node) {
    const PartialShape& src = node.input(0).partial_shape();
    if (src.is_dynamic()) {
        return true;
    }
    const Shape sizes = src.to_shape();
    return has_window_in_padding(pool_geometry(pool_attrs(node), sizes), sizes);
}

}  // namespace

LawResult move_through_avg_pool(Node& node, const Dequantize& dq) {
    AverageAttrs& attrs = average_attrs(node);
    if (dq.has_zero_point() && counts_padding(attrs)) {
        return LawResult::refused("padding_counts",
                                  "padding counts as zero, which is not the integer zero");
    }
    if (dq.has_zero_point() && may_lie_in_padding(node)) {
        return LawResult::refused("window_in_padding",
                                  "a window lies in padding alone, and its mean of zero is not the "
                                  "integer zero");
    }
    attrs.output_type = ElementType::f32;
    read_integers(node, dq);
    put_arithmetic_after(node, dq);
    return LawResult::moved();
}

LawResult move_through_reduce_mean(Node& node, const Dequantize& dq) {
    Dequantize after = dq;
    if (!dq.per_tensor()) {
        const auto axis = axis_after_reduction(node, dq.axis());
        if (!axis) {
            return LawResult::refused("channel_dimension",
                                      "channels of different scales are averaged");
        }
        after = moved_to_axis(dq, *axis);
    }
    node.attrs<ReduceAttrs>().output_type = ElementType::f32;
    read_integers(node, dq);
    put_arithmetic_after(node, after);
    return LawResult::moved();
}

}  // namespace fuseq
