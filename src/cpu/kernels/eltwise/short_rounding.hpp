// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A rounding rule of integers as one multiply-add of floats. A rule is a staircase of at most 256
// bytes. Where the floats have each step at exactly the same sum, both are the same function.
#pragma once

#include <cstdint>
#include <optional>

#include "cpu/kernels/eltwise/rounded_product.hpp"

namespace fuseq::kernels {

inline constexpr std::int64_t kMaxFloatSum = 1 << 24;

// What becomes of the sums of a channel.
struct SumRule {
    ProductRounding rounding = ProductRounding::kReal;
    std::int32_t bias = 0;
    FixedMultiplier fixed{};  // of the fixed-point roundings
    float real = 0.0F;        // of the others
    ByteGrid grid{};
    // Of the sums: both hold for any source.
    std::int64_t min = -kMaxFloatSum;
    std::int64_t max = kMaxFloatSum;
};
// The definition.
std::int64_t round_sum(const SumRule& rule, std::int64_t sum);

// The byte is the nearest integer of a float, halves to even, clamped.
struct ShortRounding {
    float scale = 0.0F;
    float shift = 0.0F;
};
// The same of fma(f32(sum), scale, sum < at ? below : shift).
struct SplitRounding {
    float scale = 0.0F;
    float shift = 0.0F;
    float below = 0.0F;
    float at = 0.0F;
};
// The float in one of two forms, as the epilogues of kernels have it.
struct ShortWays {
    std::optional<ShortRounding> fused{};       // fma(f32(sum), scale, shift)
    std::optional<ShortRounding> bias_first{};  // (f32(sum) + shift) * scale, each rounded
    // Of halves away from zero, which have a line on each side of it; where `fused` is missing.
    std::optional<SplitRounding> split{};
};
// Of all sums of the rule. Nothing where none is found: with multipliers below 2^-9 and sums that
// reach all bytes floats often lack the bits, and halves away from zero have two lines unless a
// relu leaves one.
ShortWays short_ways(const SumRule& rule);

// fma(f32(sum + offset), scale, shift), for kernels whose sums begin with an integer of the channel
// at no cost: the shift is small then, and floats near it have more bits. |sum + offset| <= 2^24.
struct MovedRounding {
    ShortRounding way;
    std::int32_t offset = 0;
};
// For rules without `fused`. Nothing where none is found.
std::optional<MovedRounding> moved_way(const SumRule& rule);

}  // namespace fuseq::kernels
