// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/quantized_rounding.hpp"

#include <algorithm>

namespace fuseq::cpu {

std::optional<kernels::ProductRounding> product_rounding(RoundingRule rule) {
    switch (rule) {
        case RoundingRule::kD2: return kernels::ProductRounding::kHalfAway;
        case RoundingRule::kD2Up: return kernels::ProductRounding::kHalfUp;
        case RoundingRule::kF32: return kernels::ProductRounding::kReal;
        case RoundingRule::kF32ZeroFirst: return kernels::ProductRounding::kRealZeroFirst;
        default: return std::nullopt;
    }
}

kernels::FixedMultiplier fixed_multiplier(const rules::QuantizedMultiplier& m) {
    return {m.mantissa, m.exponent};
}

kernels::ByteGrid byte_grid(std::int64_t zero_point, const IntegerLimits& limits) {
    return {static_cast<std::int32_t>(zero_point), static_cast<std::int32_t>(limits.lowest),
            static_cast<std::int32_t>(limits.highest)};
}

Layout layout_of_inputs(const StepBuilder& builder, const Node& node) {
    const Shape dst = node.port(0).shape.to_shape();
    const bool channels_last =
        dst.size() >= 3 &&
        std::any_of(node.inputs().begin(), node.inputs().end(), [&](const Output& input) {
            return input.shape().size() == dst.size() && !input.node->is_constant() &&
                   !builder.available(input, Layout::kPlain);
        });
    return channels_last ? Layout::kChannelsLast : Layout::kPlain;
}

}  // namespace fuseq::cpu
