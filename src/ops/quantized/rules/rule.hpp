// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Rounding rules by name. M: the real multiplier, qm and e its mantissa and exponent
// (fixed_point.hpp); z: the zero point of dst.
#pragma once

#include <string>

namespace fuseq {

enum class RoundingRule {
    kD1,             // one rounding, half up
    kD2,             // doubling high product, then a shift that rounds half away from zero
    kD2Up,           // the same, the shift rounds half up
    kM16,            // i64 sums, qm cut to 16 bits, one rounding half up
    kF32,            // rint(f32(sum) * M) + z
    kF32ZeroFirst,   // rint(f32(sum) * M + z)
    kF32HalfAway,    // half away from zero of f32(sum) * M, then + z
    kSharedShift,    // sum of two products under one shift, half up
    kRealHalfAway,   // dequantize, operation in f32, quantize: half away from zero of y / s, then +
                     // z
    kRealHalfEven,   // the same with rint
    kRealZeroFirst,  // the same with rint(y / s + z)
    kRawHalfAway,    // half away from zero of the mean of the integers themselves
    kTable,          // f32 table of exponentials, summed in order, rint
    kScaledTable,  // the same table times what its row can sum up to, q = p * floor(1 / so) / sum, rint
    kFixed10,      // ten fractional bits a dimension, half away from zero
    kFixed11,      // eleven fractional bits a dimension, one rounding half up
    kRealMean,     // f32(sum of q) / count * (si / so) - zi * (si / so), half away from zero, + z;
                   // sum of q / count, cut off, where src and dst have one grid
    kRawMean,      // D2 of the sum of q, M = si / (count * so), + z - half away of zi * si / so
    kDividedMean,  // D2 of the sum of q - zi, M = si / so, then / count half away, + z
    kWrappedSum,  // f32(sum of q) * (si / so) - zi * (si / so) * count, half away, + z; the low bits
    kRawReal,     // f32 of the integers themselves, half up
    kSigmoids,    // a table of sigmoids in steps of 1 / 24, lines between them (16 bits)
    kSigmoidsOrFixedPoint,  // the same; fixed point of 12 fractional bits where the scale allows it
    kRefused,               // the method does not say
};

// How M = si * sw / so is formed of f32 scales.
enum class MultiplierForm {
    kDouble,      // all in double
    kF32Product,  // si * sw rounded to f32, divided in double
    kF32,         // product and quotient rounded to f32
};

struct RuleChoice {
    RoundingRule rule = RoundingRule::kRefused;
    MultiplierForm multiplier = MultiplierForm::kDouble;
    bool operator==(const RuleChoice&) const = default;
};

// "D2-up (f32 product)"
std::string to_string(const RuleChoice& choice);

}  // namespace fuseq
