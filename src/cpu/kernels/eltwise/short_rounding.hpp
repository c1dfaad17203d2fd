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

// What becomes of the sums of a channel.
struct SumRule {
    ProductRounding rounding = ProductRounding::kReal;
    std::int32_t bias = 0;
    FixedMultiplier fixed{};  // of the fixed-point roundings
    float real = 0.0F;        // of the others
    ByteGrid grid{};
};
// The definition.
std::int64_t round_sum(const SumRule& rule, std::int64_t sum);

// The byte is rint(fma(f32(sum), scale, shift)), clamped.
struct ShortRounding {
    float scale = 0.0F;
    float shift = 0.0F;
};
// Of all |sum| <= kMaxFloatSum. Nothing where none is found: with multipliers below 2^-8 floats
// often lack the bits, and halves away from zero have two slopes unless a relu leaves one.
inline constexpr std::int64_t kMaxFloatSum = 1 << 24;
std::optional<ShortRounding> short_rounding(const SumRule& rule);

}  // namespace fuseq::kernels
