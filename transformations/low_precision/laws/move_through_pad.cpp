// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     pad((q - z) * s, value) = (pad(q, value / s + z) - z) * s; padding by copies of
//            elements (edge, reflect, symmetric) moves elements only.
//   Before:  DQ(q) -> Pad(value)      After:  Pad(q, Const of the type of q) -> DQ
//   Refuses: a value that is no integer of that type (pad_value), a value that is computed
//            (pad_value_not_constant), values per channel (per_channel_scale).
//   Source:  the definition of Pad.
#include <cmath>

#include <fmt/core.h>

#include "transformations/low_precision/laws/law.hpp"
#include "transformations/support/attributes.hpp"
#include "transformations/support/constants.hpp"

namespace fuseq {
namespace {

constexpr double kPadNoise = 1e-4;  // of a step

}  // namespace

LawResult move_through_pad(Node& node, const Dequantize& dq) {
    if (!dq.per_tensor()) {
        return LawResult::refused("per_channel_scale", "the source is quantized per channel");
    }
    const bool constant = attribute_text(node, "pad_mode") == "constant";
    double q = 0;
    if (constant) {
        const auto value = node.has_input(3) ? constant_number(node.input(3)) : 0.0;
        if (!value) {
            return LawResult::refused("pad_value_not_constant", "the value of padding is computed");
        }
        const double steps = *value / dq.scale[0] + dq.zero_point[0];
        q = std::nearbyint(steps);
        const bool is_signed = dq.q.type() == ElementType::i8;
        if (!(std::abs(steps - q) <= kPadNoise) || q < (is_signed ? -128 : 0) ||
            q > (is_signed ? 127 : 255)) {
            return LawResult::refused("pad_value",
                                      fmt::format("the value of padding is {} steps, no {}", steps,
                                                  to_string(dq.q.type())));
        }
    }
    if (constant || node.has_input(3)) {
        const Tensor value = Tensor::scalar(static_cast<float>(q)).to(dq.q.type());
        const Output input = make_constant(node.model(), node.name() + "/pad_value", value);
        if (node.input_count() > 3) {
            node.set_input(3, input);
        } else {
            node.add_input(input);
        }
    }
    read_integers(node, dq);
    put_dequantize_after(node, 0, dq);
    return LawResult::moved();
}

}  // namespace fuseq
