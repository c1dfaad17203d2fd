// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// D2: the doubling high product, then a shift to the right that rounds half away from zero.
// Multipliers of 1 and more shift the sum to the left first.
#pragma once

#include "ops/quantized/rules/fixed_point.hpp"

namespace fuseq::rules {

inline std::int32_t d2(std::int32_t sum, const QuantizedMultiplier& m) {
    const std::int32_t high =
        saturating_rounding_doubling_high_mul(shift_left(sum, std::max(m.exponent, 0)), m.mantissa);
    return rounding_divide_by_pot(high, std::max(-m.exponent, 0));
}

}  // namespace fuseq::rules
