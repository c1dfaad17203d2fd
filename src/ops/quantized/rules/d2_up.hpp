// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// D2-up: as D2, but the shift to the right rounds half up (ruy's kernels for x86).
#pragma once

#include "ops/quantized/rules/fixed_point.hpp"

namespace fuseq::rules {

inline std::int32_t d2_up(std::int32_t sum, const QuantizedMultiplier& m) {
    const std::int32_t high =
        saturating_rounding_doubling_high_mul(shift_left(sum, std::max(m.exponent, 0)), m.mantissa);
    return rounding_divide_by_pot_up(high, std::max(-m.exponent, 0));
}

}  // namespace fuseq::rules
