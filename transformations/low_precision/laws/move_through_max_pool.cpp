// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     max over a window of (q - z) * s = (max over the window of q - z) * s for s > 0.
//            Padding takes no part in a maximum; indices of maxima stay what they are.
//   Before:  DQ(q) -> MaxPool      After:  MaxPool(q) -> DQ
//   Refuses: a scale that is not positive (scale_sign).
//   Source:  the definition of MaxPool.
#include "transformations/low_precision/laws/law.hpp"

namespace fuseq {

LawResult move_through_max_pool(Node& node, const Dequantize& dq) {
    if (!keeps_order(dq)) {
        return order_refused();
    }
    read_integers(node, dq);
    put_dequantize_after(node, 0, dq);
    return LawResult::moved();
}

}  // namespace fuseq
