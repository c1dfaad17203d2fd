// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     relu((q - z) * s) = (max(q, z) - z) * s for s > 0.
//   Before:  DQ(q) -> ReLU
//   After:   DQ(q): the ReLU goes, where z is not above the lowest integer and max(q, z) = q
//            ReLU(q) -> DQ: for z = 0
//            Clamp(q, z, greatest integer) -> DQ: for any other whole number z
//   Refuses: a scale that is not positive (scale_sign), a zero point that is no whole number or
//            differs from channel to channel (zero_point).
//   Source:  DESIGN.md section 5: relu(x) * s = relu(x * s) for s >= 0.
#include <cmath>

#include "ops/clamp.hpp"
#include "transformations/low_precision/laws/law.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {

LawResult move_through_relu(Node& node, const Dequantize& dq) {
    if (!keeps_order(dq)) {
        return order_refused();
    }
    const bool is_signed = dq.q.type() == ElementType::i8;
    if (dq.zero_point.max() <= (is_signed ? -128.0f : 0.0f)) {
        add_origins(*node.input_node(0), node);
        redirect(node.output(), node.input(0));
        return LawResult::moved();
    }
    if (!dq.has_zero_point()) {
        read_integers(node, dq);
        put_dequantize_after(node, 0, dq);
        return LawResult::moved();
    }
    const float zero = dq.zero_point[0];
    const float greatest = is_signed ? 127.0f : 255.0f;
    if (!dq.zero_point.per_tensor() || zero != std::nearbyint(zero) || zero > greatest) {
        return LawResult::refused(
            "zero_point", "the zero point of the source is no integer, or differs by channel");
    }
    ClampAttrs bounds;
    bounds.min = zero;
    bounds.max = greatest;
    Node* clamp = node.model().add("Clamp", 1, node.name(), {dq.q}, bounds);
    add_origins(*clamp, node);
    redirect(node.output(), clamp->output());
    put_dequantize_after(*clamp, 0, dq);
    return LawResult::moved();
}

}  // namespace fuseq
