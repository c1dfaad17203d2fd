// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     taking the nearest element commutes with what is applied to each element.
//   Before:  DQ(q) -> Interpolate mode=nearest      After:  Interpolate(q) -> DQ
//   Refuses: other modes, whose results are no integers (not_nearest); padding with zeros that are
//            no integers (zero_point); values per channel of a resized dimension
//            (channel_dimension).
//   Source:  the definition of Interpolate.
#include "transformations/low_precision/laws/law.hpp"
#include "transformations/support/attributes.hpp"
#include "transformations/support/interpolation.hpp"

namespace fuseq {
LawResult move_through_interpolate(Node& node, const Dequantize& dq) {
    const std::string mode = attribute_text(node, "mode");
    if (mode != "nearest") {
        return LawResult::refused("not_nearest", "mode " + mode + " computes between integers");
    }
    if (has_pads(node) && dq.has_zero_point()) {
        return LawResult::refused("zero_point",
                                  "padding is zero, the zero point of the source is not");
    }
    if (!dq.per_tensor()) {
        const PartialShape& before = node.input(0).partial_shape();
        const PartialShape& after = node.port().shape;
        if (before[dq.axis()].is_dynamic() || before[dq.axis()] != after[dq.axis()]) {
            return LawResult::refused("channel_dimension",
                                      "the dimension of the scales is resized");
        }
    }
    read_integers(node, dq);
    put_dequantize_behind(node, 0, dq);
    return LawResult::moved();
}

}  // namespace fuseq
