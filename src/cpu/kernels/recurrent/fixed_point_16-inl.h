// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Logistic and tanh in fixed point of 16 bits (ops/quantized/rules/fixed_point_16.hpp, whose
// functions stand here under their names), in vectors. To be included after hwy/highway.h, once a
// target.
#if defined(FUSEQ_KERNELS_FIXED_POINT_16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_FIXED_POINT_16_INL_H_
#undef FUSEQ_KERNELS_FIXED_POINT_16_INL_H_
#else
#define FUSEQ_KERNELS_FIXED_POINT_16_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "cpu/kernels/recurrent/integer_lstm.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag16 = hn::CappedTag<std::int16_t, kLstmUnits>;
using Vec16 = hn::Vec<Tag16>;

HWY_INLINE Vec16 set16(std::int32_t value) {
    return hn::Set(Tag16(), static_cast<std::int16_t>(value));
}

// Half up, which is what gemmlowp's nudge and truncating division give.
HWY_INLINE Vec16 multiply(Vec16 a, Vec16 b) {
    return hn::MulFixedPoint15(a, b);
}

// Of a constant with 31 fractional bits, all positive or all negative: half away from zero.
constexpr std::int32_t constant(std::int32_t value) {
    return value >= 0 ? (value + (1 << 15)) >> 16 : -((-value + (1 << 15)) >> 16);
}

// x / 2^kShift, half away from zero. |x| is far below 2^15.
template <int kShift>
HWY_INLINE Vec16 divided(Vec16 x) {
    const Vec16 sign = hn::ShiftRight<15>(x);
    return hn::ShiftRight<kShift>(hn::Add(hn::Add(x, sign), set16(1 << (kShift - 1))));
}

HWY_INLINE Vec16 doubled(Vec16 x) {
    return hn::SaturatedAdd(x, x);
}

HWY_INLINE Vec16 exp_near_zero(Vec16 a) {
    const Vec16 at_eighth = set16(constant(1895147668));
    const Vec16 third = set16(constant(715827883));
    const Vec16 x = hn::Add(a, set16(1 << 12));
    const Vec16 x2 = multiply(x, x);
    const Vec16 x3 = multiply(x2, x);
    const Vec16 x4_quarter = divided<2>(multiply(x2, x2));
    const Vec16 rest = divided<1>(hn::Add(multiply(hn::Add(x4_quarter, x3), third), x2));
    return hn::SaturatedAdd(at_eighth, multiply(at_eighth, hn::Add(x, rest)));
}

// a < 0
HWY_INLINE Vec16 exp_below_zero(Vec16 a, int integer_bits) {
    constexpr std::int32_t kFactors[] = {
        constant(1672461947), constant(1302514674), constant(790015084), constant(290630308),
        constant(39332535),   constant(720401),     constant(242)};
    constexpr int kFirst = -2;  // e^-(2^-2) is the first
    const int fraction_bits = 15 - integer_bits;
    const std::int32_t quarter = 1 << (fraction_bits + kFirst);
    const Vec16 part = hn::Sub(hn::And(a, set16(quarter - 1)), set16(quarter));
    const Vec16 rest = hn::Sub(part, a);
    Vec16 result = exp_near_zero(hn::ShiftLeftSame(part, integer_bits));
    constexpr int kMaxBits = 5;  // e^-32 and less is 0
    for (int exponent = kFirst; exponent < std::min(integer_bits, kMaxBits); ++exponent) {
        const auto marked = hn::TestBit(rest, set16(1 << (fraction_bits + exponent)));
        result =
            hn::IfThenElse(marked, multiply(result, set16(kFactors[exponent - kFirst])), result);
    }
    if (integer_bits > kMaxBits) {
        const auto below = hn::Lt(a, set16(-(1 << (fraction_bits + kMaxBits))));
        result = hn::IfThenElse(below, hn::Zero(Tag16()), result);
    }
    return result;
}

// a >= 0
HWY_INLINE Vec16 half_denominator_inverse(Vec16 a) {
    const Vec16 half = hn::Add(hn::ShiftRight<1>(a), set16(1 << 14));
    Vec16 x =
        hn::SaturatedAdd(set16(constant(1515870810)), multiply(half, set16(constant(-1010580540))));
    for (int i = 0; i < 3; ++i) {
        const Vec16 error = hn::SaturatedSub(set16(1 << 13), multiply(half, x));
        x = hn::SaturatedAdd(x, doubled(doubled(multiply(x, error))));
    }
    return x;
}

HWY_INLINE Vec16 minus_magnitude(Vec16 a) {
    return hn::Min(a, hn::Neg(a));
}

HWY_INLINE Vec16 logistic(Vec16 a, int integer_bits) {
    const Vec16 zero = hn::Zero(Tag16());
    const Vec16 above_half =
        doubled(half_denominator_inverse(exp_below_zero(minus_magnitude(a), integer_bits)));
    const Vec16 result =
        hn::IfThenElse(hn::Gt(a, zero), above_half, hn::Sub(set16(32767), above_half));
    return hn::IfThenElse(hn::Eq(a, zero), set16(1 << 14), result);
}

HWY_INLINE Vec16 tanh(Vec16 a, int integer_bits) {
    const Vec16 zero = hn::Zero(Tag16());
    const Vec16 e = exp_below_zero(minus_magnitude(a), integer_bits + 1);
    const Vec16 result =
        doubled(doubled(hn::SaturatedSub(half_denominator_inverse(e), set16(1 << 13))));
    const Vec16 with_sign = hn::IfThenElse(hn::Gt(a, zero), result, hn::Neg(result));
    return hn::IfThenElse(hn::Eq(a, zero), zero, with_sign);
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // FUSEQ_KERNELS_FIXED_POINT_16_INL_H_
