// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     prelu((q - z) * s) = prelu(q - z) * s for s > 0 and any slopes.
//   Before:  DQ(q) -> PReLU
//   After:   DQ(q): the PReLU goes, where z is not above the lowest integer
//            Convert(q) -> PReLU -> Multiply(s): for z = 0; what is below zero is no integer
//   Refuses: a scale that is not positive (scale_sign), a zero point among the integers
//            (zero_point).
//   Source:  prelu(x) * s = prelu(x * s) for s >= 0.
#include "transformations/low_precision/laws/law.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {

LawResult move_through_prelu(Node& node, const Dequantize& dq) {
    if (!keeps_order(dq)) {
        return order_refused();
    }
    const float lowest = dq.q.type() == ElementType::i8 ? -128.0f : 0.0f;
    if (dq.zero_point.max() <= lowest) {
        add_origins(*node.input_node(0), node);
        redirect(node.output(), node.input(0));
        return LawResult::moved();
    }
    if (dq.has_zero_point()) {
        return LawResult::refused("zero_point", "the zero point of the source is not zero");
    }
    if (is_conversion(dq)) {
        return LawResult::not_wanted();
    }
    read_converted(node, dq);
    put_arithmetic_after(node, dq);
    return LawResult::moved();
}

}  // namespace fuseq
