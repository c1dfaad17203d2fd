// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Random rounding rules, their definition in arithmetic of 128 bits, and the comparison with a short
// form at every sum where a byte changes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "cpu/kernels/eltwise/short_rounding.hpp"

namespace fuseq::kernels {

using Int128 = __int128;

inline Int128 floor_shift(Int128 value, int shift) {
    const Int128 unit = Int128{1} << shift;
    const Int128 quotient = value / unit;
    return quotient - (value % unit < 0 ? 1 : 0);
}

inline std::int64_t by_definition(const SumRule& rule, std::int64_t sum) {
    const Int128 x = Int128{sum} + rule.bias;
    const int right = std::max(-rule.fixed.exponent, 0);
    const Int128 product = (x << std::max(rule.fixed.exponent, 0)) * rule.fixed.mantissa;
    const Int128 half = right == 0 ? 0 : Int128{1} << (right - 1);
    const Int128 high = floor_shift(product + (Int128{1} << 30), 31);
    Int128 value = 0;
    switch (rule.rounding) {
        case ProductRounding::kOnce:
            value = floor_shift(product + (Int128{1} << (30 + right)), 31 + right);
            break;
        case ProductRounding::kHalfUp: value = floor_shift(high + half, right); break;
        default:
            value = high < 0 ? -floor_shift(-high + half, right) : floor_shift(high + half, right);
            break;
    }
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(value) + rule.grid.zero_point,
                                    rule.grid.lowest, rule.grid.highest);
}

inline SumRule random_rule(std::mt19937& rng, ProductRounding rounding) {
    SumRule rule{.rounding = rounding, .bias = static_cast<int>(rng() % 20001) - 10000};
    rule.fixed = {static_cast<std::int32_t>((1U << 30) + rng() % (1U << 30)),
                  -static_cast<int>(rng() % 11)};
    rule.real = std::ldexp(static_cast<float>(rule.fixed.mantissa), rule.fixed.exponent - 31);
    rule.grid = {static_cast<int>(rng() % 256) - 128, -128, 127};
    if (rng() % 2 == 0) {
        rule.grid.lowest = rule.grid.zero_point;  // a relu
    }
    return rule;
}

inline constexpr ProductRounding kFixed[] = {ProductRounding::kHalfAway, ProductRounding::kHalfUp,
                                             ProductRounding::kOnce};

// Both rise with the sum: the same function if the bytes at the ends, and where they change, are.
// byte(sum) by the short way.
template <class Byte>
void expect_same(const SumRule& rule, const Byte& byte_by_way) {
    for (std::int64_t at = rule.min; at <= rule.max;) {
        const std::int64_t byte = round_sum(rule, at);
        ASSERT_EQ(byte_by_way(at), byte) << "sum " << at;
        std::int64_t low = at;
        std::int64_t high = rule.max;  // the last sum of the byte is from low to high
        while (low < high) {
            const std::int64_t middle = low + (high - low + 1) / 2;
            const bool same = round_sum(rule, middle) == byte;
            (same ? low : high) = same ? middle : middle - 1;
        }
        ASSERT_EQ(byte_by_way(low), byte) << "sum " << low;
        at = low + 1;
    }
}

// Channels whose sums reach all bytes by small multipliers, with large biases: about as many sums a
// byte as floats have left.
inline SumRule small_rule(unsigned seed) {
    std::mt19937 rng(seed);
    SumRule rule = random_rule(rng, kFixed[seed % 3]);
    rule.fixed.exponent = -7 - static_cast<int>(rng() % 4);
    rule.grid = {-128, -128, 127};
    rule.bias = static_cast<int>(rng() % 400001) - 200000;
    const std::int64_t reach = 300LL << -rule.fixed.exponent;
    rule.min = -reach - rule.bias;
    rule.max = reach - rule.bias;
    return rule;
}

}  // namespace fuseq::kernels
