// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The exponential of a softmax, the same bits on every Highway target. For rows.cpp; include after
// hwy/highway.h, once a target.
#if defined(FUSEQ_KERNELS_EXP_BELOW_ZERO_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_EXP_BELOW_ZERO_INL_H_
#undef FUSEQ_KERNELS_EXP_BELOW_ZERO_INL_H_
#else
#define FUSEQ_KERNELS_EXP_BELOW_ZERO_INL_H_
#endif

#include "cpu/kernels/common/exact-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

// exp(x) for x <= 0: x = n * ln 2 + r with |r| <= ln 2 / 2, exp(r) by a polynomial of degree 6,
// 2^n by the exponent bits. Below -87.3 the result would be denormal: 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_of(D d, V x) {
    const V min = hn::Set(d, -87.3f);
    const auto too_small = hn::Lt(x, min);
#if HWY_MAX_BYTES >= 64
    const V bounded = x;  // what is too small may become anything on the way to 0
#else
    const hn::RebindToSigned<D> di;
    const V bounded = hn::Max(x, min);
#endif
    const V n = hn::Round(hn::Mul(bounded, hn::Set(d, 1.44269504f)));
    V r = fused_mul_add(d, n, hn::Set(d, -0.693359375f), bounded);
    r = fused_mul_add(d, n, hn::Set(d, 2.12194440e-4f), r);
    V p = hn::Set(d, 1.9875691500e-4f);
    p = fused_mul_add(d, p, r, hn::Set(d, 1.3981999507e-3f));
    p = fused_mul_add(d, p, r, hn::Set(d, 8.3334519073e-3f));
    p = fused_mul_add(d, p, r, hn::Set(d, 4.1665795894e-2f));
    p = fused_mul_add(d, p, r, hn::Set(d, 1.6666665459e-1f));
    p = fused_mul_add(d, p, r, hn::Set(d, 5.0000001201e-1f));
    p = hn::Add(fused_mul_add(d, p, hn::Mul(r, r), r), hn::Set(d, 1.0f));
#if HWY_MAX_BYTES >= 64
    // Masked: a denormal result takes the CPU a hundred cycles, even if it is not used.
    return V{_mm512_maskz_scalef_ps(hn::Not(too_small).raw, p.raw, n.raw)};
#else
    const auto power = hn::ShiftLeft<23>(hn::Add(hn::NearestInt(n), hn::Set(di, 127)));
    const V result = hn::Mul(p, hn::BitCast(d, power));
    // NaN compares false and passes through the arithmetic.
    return hn::IfThenElse(hn::IsNaN(x), x, hn::IfThenZeroElse(too_small, result));
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
