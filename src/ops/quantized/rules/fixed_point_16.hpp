// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Logistic and tanh of TFLite's integer LSTM: fixed point of 16 bits with the steps of gemmlowp's
// fixedpoint.h, whose names stand beside them. A raw value has 15 - n fractional bits where n are
// the integer bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ops/quantized/rules/fixed_point.hpp"

namespace fuseq::rules::fixed_16 {

constexpr std::int32_t kLowest = -32768;
constexpr std::int32_t kHighest = 32767;  // of no integer bits: 1

inline std::int32_t saturate(std::int32_t value) {
    return std::clamp(value, kLowest, kHighest);
}

// SaturatingRoundingDoublingHighMul
inline std::int32_t multiply(std::int32_t a, std::int32_t b) {
    if (a == kLowest && b == kLowest) {
        return kHighest;
    }
    constexpr std::int32_t kHalf = 1 << 14;
    const std::int32_t product = a * b;
    return (product + (product >= 0 ? kHalf : 1 - kHalf)) / (1 << 15);
}

// SaturatingRoundingMultiplyByPOT
inline std::int32_t times_power_of_two(std::int32_t value, int exponent) {
    return exponent >= 0 ? saturate(value * (1 << exponent))
                         : rounding_divide_by_pot(value, -exponent);
}

// A constant that gemmlowp states with 31 fractional bits.
inline std::int32_t constant(std::int32_t value) {
    return rounding_divide_by_pot(value, 16);
}

// e^a for a in [-1/4, 0), no integer bits (exp_on_interval_between_negative_one_quarter_and_0_excl):
// a polynomial around -1/8.
inline std::int32_t exp_near_zero(std::int32_t a) {
    const std::int32_t at_eighth = constant(1895147668);
    const std::int32_t third = constant(715827883);
    const std::int32_t x = saturate(a + (1 << 12));
    const std::int32_t x2 = multiply(x, x);
    const std::int32_t x3 = multiply(x2, x);
    const std::int32_t x4_quarter = times_power_of_two(multiply(x2, x2), -2);
    const std::int32_t rest =
        times_power_of_two(saturate(multiply(saturate(x4_quarter + x3), third) + x2), -1);
    return saturate(at_eighth + multiply(at_eighth, saturate(x + rest)));
}

// e^a for a <= 0 (exp_on_negative_values): by the quarter that is left over, then by the powers of
// two in the rest.
inline std::int32_t exp_below_zero(std::int32_t a, int integer_bits) {
    if (a == 0) {
        return kHighest;
    }
    struct Factor {
        int exponent;
        std::int32_t value;  // e^-(2^exponent)
    };
    constexpr std::array<Factor, 7> kFactors{{{-2, 1672461947},
                                              {-1, 1302514674},
                                              {0, 790015084},
                                              {1, 290630308},
                                              {2, 39332535},
                                              {3, 720401},
                                              {4, 242}}};
    const int fraction_bits = 15 - integer_bits;
    constexpr int kMaxBits = 5;  // e^-32 and less is 0
    if (integer_bits > kMaxBits && a < -(1 << (fraction_bits + kMaxBits))) {
        return 0;
    }
    const std::int32_t quarter = 1 << (fraction_bits - 2);
    const std::int32_t part = (a & (quarter - 1)) - quarter;
    const std::int32_t rest = part - a;
    std::int32_t result = exp_near_zero(times_power_of_two(part, integer_bits));
    for (const Factor& factor : kFactors) {
        if (integer_bits > factor.exponent &&
            (rest & (1 << (fraction_bits + factor.exponent))) != 0) {
            result = multiply(result, constant(factor.value));
        }
    }
    return result;
}

// 2 / (1 + a) for a in [0, 1] with two integer bits, by three steps of Newton.
inline std::int32_t half_denominator_inverse(std::int32_t a) {
    const std::int32_t sum = a + kHighest;
    const std::int32_t half = (sum + (sum >= 0 ? 1 : -1)) / 2;
    std::int32_t x = saturate(constant(1515870810) + multiply(half, constant(-1010580540)));
    for (int i = 0; i < 3; ++i) {
        const std::int32_t error = saturate((1 << 13) - multiply(half, x));
        x = saturate(x + times_power_of_two(multiply(x, error), 2));
    }
    return x;
}

// 1 / (1 + e^-a) with no integer bits.
inline std::int32_t logistic(std::int32_t a, int integer_bits) {
    if (a == 0) {
        return 1 << 14;
    }
    const std::int32_t below = std::max(a < 0 ? a : -a, kLowest);
    const std::int32_t above_half =
        times_power_of_two(half_denominator_inverse(exp_below_zero(below, integer_bits)), 1);
    return a > 0 ? above_half : kHighest - above_half;
}

// The same bits for tanh: (1 - e) / (1 + e) with e = e^(-2 |a|).
inline std::int32_t tanh(std::int32_t a, int integer_bits) {
    if (a == 0) {
        return 0;
    }
    const std::int32_t e = exp_below_zero(a < 0 ? a : -a, integer_bits + 1);
    const std::int32_t result =
        times_power_of_two(saturate(half_denominator_inverse(e) - (1 << 13)), 2);
    return a > 0 ? result : -result;
}

}  // namespace fuseq::rules::fixed_16
