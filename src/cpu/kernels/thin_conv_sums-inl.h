// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of four bytes, and the addition of lanes that hold parts of a sum. Inside of a region
// whose target has AVX-512 with VNNI.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/always_inline.hpp"
#include "cpu/kernels/vnni_target.hpp"

namespace fuseq::kernels::thin {
namespace {

// acc += the products of four bytes each. As an instruction: GCC 12 copies accumulators of the
// builtin from register to register.
FUSEQ_INLINE void add_products(__m512i& acc, __m512i bytes, __m512i weights) {
#if FUSEQ_VECTOR_ASM
    asm("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(bytes), "v"(weights));
#else
    acc = _mm512_dpbusd_epi32(acc, bytes, weights);
#endif
}

FUSEQ_INLINE __m512i add_pairs(__m512i a, __m512i b) {
    return _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
}

// The sums of 16 pixels from vectors of their parts; Packed::lane_of_pixel says where they are.
template <std::size_t kPartials>
FUSEQ_INLINE __m512i add_partials(const __m512i* parts) {
    if constexpr (kPartials == 1) {
        return parts[0];
    } else if constexpr (kPartials == 2) {
        const __m512 a = _mm512_castsi512_ps(parts[0]);
        const __m512 b = _mm512_castsi512_ps(parts[1]);
        return _mm512_add_epi32(_mm512_castps_si512(_mm512_shuffle_ps(a, b, 0x88)),
                                _mm512_castps_si512(_mm512_shuffle_ps(a, b, 0xDD)));
    } else {
        const __m512i low = add_pairs(parts[0], parts[1]);
        const __m512i high = add_pairs(parts[2], parts[3]);
        return _mm512_add_epi32(_mm512_unpacklo_epi64(low, high), _mm512_unpackhi_epi64(low, high));
    }
}

}  // namespace
}  // namespace fuseq::kernels::thin
