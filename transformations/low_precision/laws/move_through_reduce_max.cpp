// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     max of (q - z) * s = (max of q - z) * s for s > 0; the same for min.
//   Before:  DQ(q) -> ReduceMax | ReduceMin      After:  the same (q) -> DQ
//   Refuses: a scale that is not positive (scale_sign), values per channel whose dimension is
//            reduced (channel_dimension).
//   Source:  the definition of the operations.
#include "transformations/low_precision/laws/law.hpp"

namespace fuseq {
LawResult move_through_reduce_max(Node& node, const Dequantize& dq) {
    if (!keeps_order(dq)) {
        return order_refused();
    }
    Dequantize after = dq;
    if (!dq.per_tensor()) {
        const auto axis = axis_after_reduction(node, dq.axis());
        if (!axis) {
            return LawResult::refused("channel_dimension",
                                      "channels of different scales are compared");
        }
        after = moved_to_axis(dq, *axis);
    }
    read_integers(node, dq);
    put_dequantize_after(node, 0, after);
    return LawResult::moved();
}

}  // namespace fuseq
