// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The addition of lanes that hold parts of a sum. Inside of a region whose target has AVX-512 with
// VNNI.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/always_inline.hpp"
#include "cpu/kernels/vnni_products-inl.h"

namespace fuseq::kernels::thin {
namespace {

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
