// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The elu of the depthwise kernels with AVX-512 VNNI: operation for operation coarse_elu() of
// activation_math-inl.h, with its scale and a shift, so that the bytes are those of a fused eltwise.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/common/vnni_target.hpp"
#include "cpu/kernels/depthwise/depthwise_conv.hpp"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::depthwise {
namespace {

// A value that is loaded once, not as a memory operand of each use.
template <class Vector>
FUSEQ_INLINE Vector loaded_once(Vector v) {
#if FUSEQ_VECTOR_ASM
    __asm__("" : "+v"(v));
#endif
    return v;
}

FUSEQ_INLINE __m512 constant_of(float value) {
    return loaded_once(_mm512_set1_ps(value));
}

class EluVectors {
public:
    FUSEQ_INLINE EluVectors(const DepthwiseElu& elu, float shift)
        : alpha_(constant_of(elu.alpha)),
          scale_(constant_of(elu.scale)),
          shift_(constant_of(shift)) {}

    FUSEQ_INLINE __m512i integer(__m512 x) const {
        const __mmask16 below = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LE_OQ);
        const __m512 value = _mm512_mask_mul_ps(x, below, expm1(_mm512_max_ps(x, lowest_)), alpha_);
        return _mm512_cvtps_epi32(_mm512_add_ps(_mm512_mul_ps(value, scale_), shift_));
    }

private:
    // For x in [-30, 88].
    FUSEQ_INLINE __m512 expm1(__m512 x) const {
        const __m512 rounded = _mm512_fmadd_ps(x, per_ln2_, large_);
        const __m512 r = _mm512_fmadd_ps(x, per_ln2_, _mm512_sub_ps(large_, rounded));
        __m512 p = _mm512_fmadd_ps(five_, r, four_);
        p = _mm512_fmadd_ps(p, r, three_);
        p = _mm512_fmadd_ps(p, r, two_);
        p = _mm512_fmadd_ps(p, r, one_);
        p = _mm512_fmadd_ps(p, r, zero_);
        const __m512 power =
            _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(rounded), 23));
        return _mm512_fmsub_ps(power, p, zero_);
    }

    __m512 alpha_, scale_, shift_;
    __m512 lowest_ = constant_of(-30.0f);
    __m512 per_ln2_ = constant_of(1.44269504f);
    __m512 large_ = constant_of(0x1.8p23f + 127.0f);
    // Of the polynomial, by power.
    __m512 zero_ = constant_of(1.0f);
    __m512 one_ = constant_of(0.693147242f);
    __m512 two_ = constant_of(0.24022235f);
    __m512 three_ = constant_of(0.0555030853f);
    __m512 four_ = constant_of(0.00967187621f);
    __m512 five_ = constant_of(0.00134072592f);
};

}  // namespace
}  // namespace fuseq::kernels::depthwise

FUSEQ_END_VNNI
