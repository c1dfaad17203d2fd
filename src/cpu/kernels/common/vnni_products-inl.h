// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of four bytes, added up in each 32-bit lane, and the addition of such lanes.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni_target.hpp"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels {
namespace {

// acc += the products of four unsigned and four signed bytes a lane. As an instruction: GCC 12
// copies accumulators of the builtin from register to register.
FUSEQ_INLINE void add_products(__m512i& acc, __m512i bytes, __m512i weights) {
#if FUSEQ_VECTOR_ASM
    __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(bytes), "v"(weights));
#else
    acc = _mm512_dpbusd_epi32(acc, bytes, weights);
#endif
}

// The same with weights that the instruction reads from memory.
FUSEQ_INLINE void add_products_at(__m512i& acc, __m512i bytes, const std::uint8_t* weights) {
    const auto* vector = reinterpret_cast<const __m512i*>(weights);
#if FUSEQ_VECTOR_ASM
    __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(bytes), "m"(*vector));
#else
    acc = _mm512_dpbusd_epi32(acc, bytes, _mm512_load_si512(vector));
#endif
}

FUSEQ_INLINE __m512i add_halves(__m512i a, __m512i b) {
    return _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
}

// Of four vectors: element i of each 128 bits of the result is the sum of these 128 bits of v[i].
FUSEQ_INLINE __m512i add_in_lanes(const __m512i* v) {
    const __m512i low = add_halves(v[0], v[1]);
    const __m512i high = add_halves(v[2], v[3]);
    return _mm512_add_epi32(_mm512_unpacklo_epi64(low, high), _mm512_unpackhi_epi64(low, high));
}

}  // namespace
}  // namespace fuseq::kernels

FUSEQ_END_VNNI
