// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// TFLite's sum of i16 whose scales are powers of two: one operand has the scale of the sum, the
// other one is shifted to it, half away from zero.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "ops/quantized/rules/fixed_point.hpp"
#include "ops/quantized/rules/power_of_two.hpp"

namespace fuseq::rules {

struct ShiftedSum {
    int shift_a = 0;
    int shift_b = 0;

    // Null where the scales are none that TFLite's kernel takes.
    static std::optional<ShiftedSum> of(float a, float b, float sum) {
        const std::optional<int> exponents[] = {power_of_two(a), power_of_two(b),
                                                power_of_two(sum)};
        if (!exponents[0] || !exponents[1] || !exponents[2]) {
            return std::nullopt;
        }
        constexpr int kMaxShift = 31;
        const ShiftedSum shifts{*exponents[2] - *exponents[0], *exponents[2] - *exponents[1]};
        const bool taken = std::min(shifts.shift_a, shifts.shift_b) == 0 &&
                           std::max(shifts.shift_a, shifts.shift_b) <= kMaxShift;
        return taken ? std::optional(shifts) : std::nullopt;
    }

    // Not saturated.
    std::int32_t operator()(std::int32_t a, std::int32_t b, int sign) const {
        return rounding_divide_by_pot(a, shift_a) + sign * rounding_divide_by_pot(b, shift_b);
    }
};

}  // namespace fuseq::rules
