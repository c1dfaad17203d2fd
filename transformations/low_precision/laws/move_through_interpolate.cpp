// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     taking the nearest element commutes with what is applied to each element; a mean whose
//            weights sum to one commutes with a scale and a shift.
//   Before:  DQ(q) -> Interpolate mode=nearest
//   After:   Interpolate(q) -> DQ
//   Before:  DQ(q) -> Interpolate mode=linear | linear_onnx
//   After:   Convert(q) -> Interpolate -> Subtract(z) -> Multiply(s), in f32
//   Refuses: other modes (other_mode); padding with zeros that are no integers (zero_point); values
//            per channel of a resized dimension (channel_dimension).
//   Source:  the definition of Interpolate.
#include "transformations/low_precision/laws/law.hpp"
#include "transformations/support/attributes.hpp"
#include "transformations/support/interpolation.hpp"

namespace fuseq {

LawResult move_through_interpolate(Node& node, const Dequantize& dq) {
    const std::string mode = attribute_text(node, "mode");
    const bool nearest = mode == "nearest";
    if (!nearest && mode != "linear" && mode != "linear_onnx") {
        return LawResult::refused("other_mode", "mode " + mode + " computes between integers");
    }
    if (!nearest && is_conversion(dq)) {
        return LawResult::not_wanted();
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
    if (nearest) {
        read_integers(node, dq);
        put_dequantize_after(node, 0, dq);
    } else {
        read_converted(node, dq);
        put_arithmetic_after(node, dq);
    }
    return LawResult::moved();
}

}  // namespace fuseq
