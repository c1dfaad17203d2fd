// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     relu((q - z) * s) = (max(q, z) - z) * s for s > 0.
//   Before:  DQ(q) -> ReLU
//   After:   DQ(q): the ReLU goes, for u8 q and z <= 0, where max(q, z) = q
//            ReLU(q) -> DQ: for z = 0
//   Refuses: a scale that is not positive (scale_sign), any other zero point (zero_point).
//   Source:  DESIGN.md section 5: relu(x) * s = relu(x * s) for s >= 0.
#include "transformations/low_precision/laws/law.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {

LawResult move_through_relu(Node& node, const Dequantize& dq) {
    if (!keeps_order(dq)) {
        return order_refused();
    }
    if (dq.q.type() == ElementType::u8 && dq.zero_point.max() <= 0) {
        add_origins(*node.input_node(0), node);
        redirect(node.output(), node.input(0));
        return LawResult::moved();
    }
    if (dq.has_zero_point()) {
        return LawResult::refused("zero_point", "the zero point of the source is not zero");
    }
    read_integers(node, dq);
    put_dequantize_behind(node, 0, dq);
    return LawResult::moved();
}

}  // namespace fuseq
