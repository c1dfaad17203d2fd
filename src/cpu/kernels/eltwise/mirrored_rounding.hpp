// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Halves away from zero as one multiply-add of floats: the integers of negative sums are those of
// positive ones with the other sign. The zero point comes after that.
#pragma once

#include <cstdint>
#include <optional>

#include "cpu/kernels/eltwise/short_rounding.hpp"

namespace fuseq::kernels {

// The byte is trunc(x * scale + shift with the sign of x) + zero point, clamped, where x is
// f32(sum + offset) and nothing is rounded. |x| <= 2^24, or
// more where the byte is the first or the last one.
//
// A kernel may round the multiply-add toward zero, to f32, since trunc() of a value is an f32.
struct MirroredRounding {
    float scale = 0.0F;
    float shift = 0.0F;  // at least 0
    std::int32_t offset = 0;
};
// Of all sums of the rule. Nothing where none is found, and for other roundings than halves away from
// zero.
std::optional<MirroredRounding> mirrored_way(const SumRule& rule);

}  // namespace fuseq::kernels
