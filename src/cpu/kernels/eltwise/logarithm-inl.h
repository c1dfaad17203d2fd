// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Logarithms and powers of vectors of floats, the same bits on every Highway target. Include after
// hwy/highway.h, once a target.
#if defined(FUSEQ_KERNELS_LOGARITHM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_LOGARITHM_INL_H_
#undef FUSEQ_KERNELS_LOGARITHM_INL_H_
#else
#define FUSEQ_KERNELS_LOGARITHM_INL_H_
#endif

#include "hwy/highway.h"

#include "cpu/kernels/eltwise/activation_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

// Natural logarithm of positive normal numbers, to 2e-7 relative (absolute near 1).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_positive(D d, V x) {
    const hn::RebindToSigned<D> di;
    // x = m * 2^e with m in [1 / sqrt 2, sqrt 2): the difference to the bits of 1 / sqrt 2 has e as
    // its exponent.
    const auto bits = hn::BitCast(di, x);
    const auto above = hn::Sub(bits, hn::Set(di, 0x3F3504F3));
    const auto e = hn::ShiftRight<23>(above);
    const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(e)));
    const V one = hn::Set(d, 1.0f);
    // log m = 2 * atanh(z) = 2 * (z + z^3/3 + z^5/5 + ...), |z| <= 0.172
    const V z = hn::Div(hn::Sub(m, one), hn::Add(m, one));
    static constexpr float kCoefficients[] = {1.0f / 3.0f, 1.0f / 5.0f, 1.0f / 7.0f, 1.0f / 9.0f};
    const V z2 = hn::Mul(z, z);
    const V twice = hn::Add(z, z);
    const V tail = hn::Mul(hn::Mul(twice, z2), polynomial(d, z2, kCoefficients));
    const V ef = hn::ConvertTo(d, e);
    // The first part of ln 2 has so few bits that its product with e is exact.
    const V small = hn::Add(tail, hn::Mul(ef, hn::Set(d, 1.42860677e-6f)));
    return hn::Add(hn::Mul(ef, hn::Set(d, 0.693145751953125f)), hn::Add(twice, small));
}

// x^-beta for positive normal x. 1 and the multiples of a quarter below it are made of divisions
// and roots; others are good to 1e-6 relative where the result is between 1e-3 and 1e3.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V negative_power(D d, V x, float beta) {
    const V one = hn::Set(d, 1.0f);
    if (beta == 1.0f) {
        return hn::Div(one, x);
    }
    if (beta == 0.75f) {
        const V root = hn::Sqrt(x);
        return hn::Div(one, hn::Mul(root, hn::Sqrt(root)));
    }
    if (beta == 0.5f) {
        return hn::Div(one, hn::Sqrt(x));
    }
    if (beta == 0.25f) {
        return hn::Div(one, hn::Sqrt(hn::Sqrt(x)));
    }
    return exp(d, hn::Mul(hn::Set(d, -beta), log_positive(d, x)));
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
