// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A sigmoid of which 8 bits remain. Inside of a region whose target has AVX-512.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/common/always_inline.hpp"

namespace fuseq::kernels::small_conv {
namespace {

// scale / (1 + e^-x), good to 4e-7 relative between -16 and 16 (1e-6 everywhere): e^-x = 2^q *
// 2^r as in coarse_elu() of activation_math-inl.h, and a division without the instruction,
// which takes as long as all the rest.
FUSEQ_INLINE __m512 scaled_sigmoid(__m512 x, __m512 scale) {
    const __m512 per_ln2 = _mm512_set1_ps(-1.44269504f);
    const __m512 bounded =
        _mm512_min_ps(_mm512_max_ps(x, _mm512_set1_ps(-80.0f)), _mm512_set1_ps(80.0f));
    // A float of this size is a whole number: the sum is rounded to q, and its last bits are
    // the exponent of 2^q.
    const __m512 large = _mm512_set1_ps(0x1.8p23f + 127.0f);
    const __m512 rounded = _mm512_fmadd_ps(bounded, per_ln2, large);
    const __m512 r = _mm512_fmadd_ps(bounded, per_ln2, _mm512_sub_ps(large, rounded));
    __m512 p = _mm512_set1_ps(0.00134072592f);
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.00967187621f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.0555030853f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.24022235f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.693147242f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f));
    const __m512 power = _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(rounded), 23));
    const __m512 d = _mm512_fmadd_ps(power, p, _mm512_set1_ps(1.0f));
    const __m512 inverse = _mm512_rcp14_ps(d);
    const __m512 coarse = _mm512_mul_ps(scale, inverse);
    return _mm512_fmadd_ps(_mm512_fnmadd_ps(d, coarse, scale), inverse, coarse);
}

}  // namespace
}  // namespace fuseq::kernels::small_conv
