// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Activations on vectors of floats, good to 1e-6 relative, the same bits on every Highway target:
// multiplications and additions are fused on all of them (fused_mul_add) or on none (Highway's own
// contrib/math fuses them where the target can). Include after hwy/highway.h, once a target.
#if defined(FUSEQ_KERNELS_ACTIVATION_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_ACTIVATION_MATH_INL_H_
#undef FUSEQ_KERNELS_ACTIVATION_MATH_INL_H_
#else
#define FUSEQ_KERNELS_ACTIVATION_MATH_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// c[0] + c[1] * x + c[2] * x^2 + ...
template <class D, std::size_t N, class V = hn::Vec<D>>
HWY_INLINE V polynomial(D d, V x, const float (&c)[N]) {
    V out = hn::Set(d, c[N - 1]);
    for (std::size_t i = N - 1; i-- > 0;) {
        out = hn::Add(hn::Mul(out, x), hn::Set(d, c[i]));
    }
    return out;
}

// The same, each step rounded once.
template <class D, std::size_t N, class V = hn::Vec<D>>
HWY_INLINE V fused_polynomial(D d, V x, const float (&c)[N]) {
    V out = hn::Set(d, c[N - 1]);
    for (std::size_t i = N - 1; i-- > 0;) {
        out = fused_mul_add(d, out, x, hn::Set(d, c[i]));
    }
    return out;
}

// x = q * ln 2 + r with |r| <= ln(2) / 2: gives q and e^r - 1. |x| <= 105.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V reduced_expm1(D d, V x, hn::Vec<hn::RebindToSigned<D>>& q) {
    q = hn::NearestInt(hn::Mul(x, hn::Set(d, 1.44269504f)));
    const V qf = hn::ConvertTo(d, q);
    // The first part of ln 2 has so few bits that its product with q is exact.
    V r = hn::Sub(x, hn::Mul(qf, hn::Set(d, 0.693145751953125f)));
    r = hn::Sub(r, hn::Mul(qf, hn::Set(d, 1.42860677e-6f)));
    // Taylor's coefficients, the last two adjusted to the interval.
    static constexpr float kCoefficients[] = {0.5f,           0.166666672f,   0.0416664854f,
                                              0.00833337776f, 0.00139304355f, 0.000198527618f};
    return hn::Add(r, hn::Mul(hn::Mul(r, r), polynomial(d, r, kCoefficients)));
}

// y * 2^q for q in [-150, 128], in two steps because 2^128 is no float.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V times_power_of_two(D d, V y, hn::Vec<hn::RebindToSigned<D>> q) {
    const hn::RebindToSigned<D> di;
    const auto power = [&](auto e) HWY_ATTR {
        return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(e, hn::Set(di, 127))));
    };
    const auto half = hn::ShiftRight<1>(q);
    return hn::Mul(hn::Mul(y, power(half)), power(hn::Sub(q, half)));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
    const V max = hn::Set(d, 88.7228394f);
    const V in_range = hn::Min(hn::Max(x, hn::Set(d, -104.0f)), max);
    hn::Vec<hn::RebindToSigned<D>> q;
    const V part = reduced_expm1(d, in_range, q);
    const V y = times_power_of_two(d, hn::Add(part, hn::Set(d, 1.0f)), q);
    return hn::IfThenElse(hn::Gt(x, max), hn::Set(d, std::numeric_limits<float>::infinity()), y);
}

// e^x - 1 without loss near 0; x <= 88.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expm1(D d, V x) {
    const V one = hn::Set(d, 1.0f);
    hn::Vec<hn::RebindToSigned<D>> q;
    const V part = reduced_expm1(d, hn::Max(x, hn::Set(d, -104.0f)), q);
    const V whole = hn::Sub(times_power_of_two(d, hn::Add(part, one), q), one);
    const auto is_small = hn::Eq(hn::ConvertTo(d, q), hn::Zero(d));
    return hn::IfThenElse(is_small, part, whole);
}

// e^x - 1 for x <= 0, to 1e-7 absolute and 1e-6 relative: for elu, which computes little else.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expm1_below_zero(D d, V x) {
    const hn::RebindToSigned<D> di;
    const V bounded = hn::Max(x, hn::Set(d, -30.0f));  // below, the result is -1
    const auto q = hn::NearestInt(hn::Mul(bounded, hn::Set(d, 1.44269504f)));
    const V qf = hn::ConvertTo(d, q);
    // r = x - q * ln 2; the products are rounded once with the sums.
    V r = fused_mul_add(d, qf, hn::Set(d, -0.693145751953125f), bounded);
    r = fused_mul_add(d, qf, hn::Set(d, -1.42860677e-6f), r);
    V p = hn::Set(d, 0.000198527618f);
    p = fused_mul_add(d, p, r, hn::Set(d, 0.00139304355f));
    p = fused_mul_add(d, p, r, hn::Set(d, 0.00833337776f));
    p = fused_mul_add(d, p, r, hn::Set(d, 0.0416664854f));
    p = fused_mul_add(d, p, r, hn::Set(d, 0.166666672f));
    p = fused_mul_add(d, p, r, hn::Set(d, 0.5f));
    const V part = fused_mul_add(d, hn::Mul(r, r), p, r);  // e^r - 1
    // 2^q * (e^r - 1) + (2^q - 1): exact for q = 0.
    const V power = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(q, hn::Set(di, 127))));
    return fused_mul_add(d, power, part, hn::Sub(power, hn::Set(d, 1.0f)));
}

// e^x = power * part, for x in [-87, 88]: part is good to 1e-7.
template <class V>
struct CoarseExp {
    V power, part;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE CoarseExp<V> coarse_exp(D d, V x) {
    const hn::RebindToSigned<D> di;
    const V per_ln2 = hn::Set(d, 1.44269504f);
    // x / ln 2 = q + r. A float of this size is a whole number: the sum is rounded to q, and its
    // last bits are the exponent of 2^q.
    const V large = hn::Set(d, 0x1.8p23f + 127.0f);
    const V rounded = fused_mul_add(d, x, per_ln2, large);
    const V r = fused_mul_add(d, x, per_ln2, hn::Sub(large, rounded));
    V p = hn::Set(d, 0.00134072592f);
    p = fused_mul_add(d, p, r, hn::Set(d, 0.00967187621f));
    p = fused_mul_add(d, p, r, hn::Set(d, 0.0555030853f));
    p = fused_mul_add(d, p, r, hn::Set(d, 0.24022235f));
    p = fused_mul_add(d, p, r, hn::Set(d, 0.693147242f));
    p = fused_mul_add(d, p, r, hn::Set(d, 1.0f));
    return {hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, rounded))), p};
}

// Activations of which 8 bits remain: to 2e-7 of the larger of their value and 1.

// x, or alpha * (e^x - 1) where x is not above 0: 0 at 0, and -alpha far below.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V coarse_elu(D d, V x, V alpha) {
    const CoarseExp<V> e = coarse_exp(d, hn::Max(x, hn::Set(d, -30.0f)));
    const V below = fused_mul_add(d, e.power, e.part, hn::Set(d, -1.0f));
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(alpha, below));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V coarse_sigmoid(D d, V x) {
    const V one = hn::Set(d, 1.0f);
    const V bounded = hn::Min(hn::Max(hn::Neg(x), hn::Set(d, -80.0f)), hn::Set(d, 80.0f));
    const CoarseExp<V> e = coarse_exp(d, bounded);
    return hn::Div(one, fused_mul_add(d, e.power, e.part, one));
}

// 2 * sigmoid(2 * x) - 1
template <class D, class V = hn::Vec<D>>
HWY_INLINE V coarse_tanh(D d, V x) {
    const V s = coarse_sigmoid(d, hn::Add(x, x));
    return hn::Sub(hn::Add(s, s), hn::Set(d, 1.0f));
}

// As mish().
template <class D, class V = hn::Vec<D>>
HWY_INLINE V coarse_mish(D d, V x) {
    const V two = hn::Set(d, 2.0f);
    const CoarseExp<V> part =
        coarse_exp(d, hn::Min(hn::Max(x, hn::Set(d, -80.0f)), hn::Set(d, 20.0f)));
    const V e = hn::Mul(part.power, part.part);
    const V n = hn::Mul(e, hn::Add(e, two));
    return hn::Mul(x, hn::Div(n, hn::Add(n, two)));
}

// log(1 + y) for 0 <= y <= 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log1p_unit(D d, V y) {
    const V one = hn::Set(d, 1.0f);
    // log(1 + y) = 2 * atanh(z) = 2 * (z + z^3/3 + z^5/5 + ...), z = y / (2 + y) <= 1/3
    const V z = hn::Div(y, hn::Add(y, hn::Set(d, 2.0f)));
    static constexpr float kCoefficients[] = {1.0f / 3.0f, 1.0f / 5.0f,  1.0f / 7.0f,
                                              1.0f / 9.0f, 1.0f / 11.0f, 1.0f / 13.0f};
    const V z2 = hn::Mul(z, z);
    const V series = hn::Add(one, hn::Mul(z2, polynomial(d, z2, kCoefficients)));
    return hn::Mul(hn::Add(z, z), series);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V x) {
    const V one = hn::Set(d, 1.0f);
    return hn::Div(one, hn::Add(one, exp(d, hn::Neg(x))));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh(D d, V x) {
    const V magnitude = hn::Min(hn::Abs(x), hn::Set(d, 10.0f));  // tanh(10) is 1 in float
    const V y = expm1(d, hn::Add(magnitude, magnitude));
    return hn::CopySign(hn::Div(y, hn::Add(y, hn::Set(d, 2.0f))), x);
}

// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)
template <class D, class V = hn::Vec<D>>
HWY_INLINE V softplus(D d, V x) {
    const V tail = log1p_unit(d, exp(d, hn::Neg(hn::Abs(x))));
    return hn::Add(hn::Max(x, hn::Zero(d)), tail);
}

// tanh(log(1 + e)) = (e^2 + 2 e) / (e^2 + 2 e + 2) with e = e^x
template <class D, class V = hn::Vec<D>>
HWY_INLINE V mish(D d, V x) {
    const V two = hn::Set(d, 2.0f);
    const V e = exp(d, hn::Min(x, hn::Set(d, 20.0f)));
    const V n = hn::Mul(e, hn::Add(e, two));
    return hn::Mul(x, hn::Div(n, hn::Add(n, two)));
}

// 0.5 * x * (1 + tanh(u)) = x * sigmoid(2 * u), u = sqrt(2 / pi) * (x + 0.044715 * x^3)
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_tanh(D d, V x) {
    const V cubic = hn::Mul(hn::Mul(x, x), hn::Set(d, 0.0713548163f));
    const V twice_u = hn::Mul(x, hn::Add(hn::Set(d, 1.59576912f), cubic));
    return hn::Mul(x, sigmoid(d, twice_u));
}

// e^x for -87 <= x <= 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_near_zero(D d, V x) {
    const hn::RebindToSigned<D> di;
    const auto q = hn::NearestInt(hn::Mul(x, hn::Set(d, 1.44269504f)));
    const V qf = hn::ConvertTo(d, q);
    V r = fused_mul_add(d, qf, hn::Set(d, -0.693145751953125f), x);
    r = fused_mul_add(d, qf, hn::Set(d, -1.42860677e-6f), r);
    static constexpr float kCoefficients[] = {1.0f,           1.0f,           0.5f,
                                              0.166666672f,   0.0416664854f,  0.00833337776f,
                                              0.00139304355f, 0.000198527618f};
    const V y = fused_polynomial(d, r, kCoefficients);
    return hn::Mul(y, hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(q, hn::Set(di, 127)))));
}

// 0.5 * x * erfc(-x / sqrt 2). erfc(z) = t * e^(-z^2 + p(t)), t = 1 / (1 + z / 2), with the
// polynomial of Numerical Recipes (2nd edition, 6.2), good to 1.2e-7 relative. The exponent is a
// float: far below zero, where the result is small, its rounding shows as 1e-5 of it.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_erf(D d, V x) {
    const V half = hn::Set(d, 0.5f);
    const V one = hn::Set(d, 1.0f);
    const V a = hn::Abs(x);
    const V t = hn::Div(one, fused_mul_add(d, a, hn::Set(d, 0.353553391f), one));
    static constexpr float kCoefficients[] = {-1.26551223f, 1.00002368f, 0.37409196f,  0.09678418f,
                                              -0.18628806f, 0.27886807f, -1.13520398f, 1.48851587f,
                                              -0.82215223f, 0.17087277f};
    const V p = fused_polynomial(d, t, kCoefficients);
    const V exponent = fused_mul_add(d, hn::Mul(a, hn::Set(d, -0.5f)), a, p);
    const V tail = exp_near_zero(d, hn::Max(exponent, hn::Set(d, -87.0f)));
    const V half_tail = hn::Mul(hn::Mul(half, t), tail);
    return hn::Mul(x, hn::IfThenElse(hn::Lt(x, hn::Zero(d)), half_tail, hn::Sub(one, half_tail)));
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
