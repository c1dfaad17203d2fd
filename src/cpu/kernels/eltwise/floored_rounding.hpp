// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A rounding rule of integers as the floor of two multiply-adds of floats, for kernels whose
// instructions choose how they round. Where the nearest float of a sum times a scale lacks the bits
// (short_rounding.hpp), this has them: the scale has two parts, and what is rounded down before
// floor() has the same floor.
#pragma once

#include <cstdint>
#include <optional>

#include "cpu/kernels/eltwise/short_rounding.hpp"

namespace fuseq::kernels {

// The byte is floor(sum * scale + fma(sum, rest, sum < 0 ? below : shift)), clamped, where `sum` is
// f32(sum + offset) and nothing but the fma is rounded, down. |sum + offset| <= 2^24, or more where
// the byte is the first or the last one.
//
// A kernel adds the product rounded down, to f32, and converts that rounded down, to i32: floor() of
// a value is an f32, so that the first rounding does not go below it. All its roundings are down: a
// processor whose instructions do not choose theirs has a mode (common/rounding_mode.hpp).
struct FloorRounding {
    float scale = 0.0F;
    float rest = 0.0F;  // at least 0, so that the byte rises with the sum
    float shift = 0.0F;
    float below = 0.0F;
    std::int32_t offset = 0;
    bool is_split() const { return below != shift; }
};
// Of all sums of the rule; one line without an offset where there is one. Halves away from zero on
// both sides of it are two lines. Nothing where none is found: for multipliers above 1.
std::optional<FloorRounding> floored_way(const SumRule& rule);

// The same with one multiply-add, floor(sum * scale + shift): one line with a rest of 0, for kernels
// whose sums begin with an integer of the channel at no cost. Its shift is small then, so that nothing
// but the scale has to be a float. Nothing where no float is near enough, for some multipliers below
// 2^-9 with sums that reach all bytes.
std::optional<FloorRounding> one_floor_way(const SumRule& rule);

}  // namespace fuseq::kernels
