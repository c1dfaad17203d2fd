// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     transpose(f(q)) = f(transpose(q)) for f applied to each element; channel values
//            follow their dimension.
//   Before:  DQ(q) -> Transpose      After:  Transpose(q) -> DQ
//   Refuses: per-channel values and an order that is not constant (order_not_constant).
//   Source:  the definition of Transpose.
#include <algorithm>

#include "transformations/low_precision/laws/law.hpp"
#include "transformations/support/constants.hpp"

namespace fuseq {

LawResult move_through_transpose(Node& node, const Dequantize& dq) {
    Dequantize behind = dq;
    if (!dq.per_tensor()) {
        const auto order = evaluate_constant(node.input(1));
        if (!order) {
            return LawResult::refused("order_not_constant", "the order of dimensions is computed");
        }
        std::vector<std::int64_t> dims = to_ints(*order);
        const std::size_t rank = node.input(0).partial_shape().rank();
        if (dims.empty()) {  // an empty order reverses the dimensions
            for (std::size_t d = rank; d-- > 0;) {
                dims.push_back(static_cast<std::int64_t>(d));
            }
        }
        const auto found =
            std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(dq.axis()));
        behind = moved_to_axis(dq, static_cast<std::size_t>(found - dims.begin()));
    }
    read_integers(node, dq);
    put_dequantize_behind(node, 0, behind);
    return LawResult::moved();
}

}  // namespace fuseq
