// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The forms of rule_form.hpp on 16 sums, with AVX-512.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <limits>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni_target.hpp"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels {
namespace {

constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;

// What kFloor takes the floor of.
FUSEQ_INLINE __m512 value_of_floor(__m512i sum, __m512 scale, __m512 rest, __m512 bias) {
    const __m512 x = _mm512_cvtepi32_ps(sum);
    return _mm512_fmadd_round_ps(x, scale, _mm512_fmadd_round_ps(x, rest, bias, kDown), kDown);
}
FUSEQ_INLINE __m512i by_floor(__m512i sum, __m512 scale, __m512 rest, __m512 bias) {
    return _mm512_cvt_roundps_epi32(value_of_floor(sum, scale, rest, bias), kDown);
}

// The bias of kTwoFloors.
FUSEQ_INLINE __m512 bias_of(__m512i sum, __m512 bias, __m512 below) {
    constexpr int kChoose = 0xCA;  // of each bit: that of `below` where the sign is set
    const __m512i signs = _mm512_srai_epi32(sum, 31);
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(signs, _mm512_castps_si512(below),
                                                         _mm512_castps_si512(bias), kChoose));
}
FUSEQ_INLINE __m512i
by_two_floors(__m512i sum, __m512 scale, __m512 rest, __m512 bias, __m512 below) {
    return by_floor(sum, scale, rest, bias_of(sum, bias, below));
}

// kReal without the bias.
FUSEQ_INLINE __m512i by_real(__m512i sum, __m512 scale) {
    return _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(sum), scale));
}
FUSEQ_INLINE __m512i by_real(__m512i sum, __m512 scale, __m512i bias) {
    return _mm512_add_epi32(by_real(sum, scale), bias);
}

// kMirrored without the zero point. bias: at least 0; sign: the bits of signs, from memory, since a
// constant is made anew each time.
inline __m512i sign_bits() {
    return _mm512_set1_epi32(std::numeric_limits<std::int32_t>::min());
}
FUSEQ_INLINE __m512i by_mirrored(__m512i sum, __m512 scale, __m512 bias, __m512i sign) {
    constexpr int kWithSign = 0xEA;  // (sum and sign) or bias
    constexpr int kToZero = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
    const __m512 x = _mm512_cvtepi32_ps(sum);
#if FUSEQ_VECTOR_ASM
    __asm__("" : "+v"(sum) : "v"(x));  // the next instruction may overwrite the sum
#endif
    const __m512i begin =
        _mm512_ternarylogic_epi32(sum, sign, _mm512_castps_si512(bias), kWithSign);
    return _mm512_cvttps_epi32(
        _mm512_fmadd_round_ps(x, scale, _mm512_castsi512_ps(begin), kToZero));
}

// kRealZeroFirst.
FUSEQ_INLINE __m512i by_real_zero_first(__m512i sum, __m512 scale, __m512 bias) {
    const __m512 x = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), scale);
    return _mm512_cvtps_epi32(_mm512_add_ps(x, bias));
}

}  // namespace
}  // namespace fuseq::kernels

FUSEQ_END_VNNI
