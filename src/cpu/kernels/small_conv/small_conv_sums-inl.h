// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The addition of lanes that hold parts of a sum. Inside of a region whose target has AVX-512 with
// VNNI.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni_products-inl.h"

namespace fuseq::kernels::small_conv {
namespace {

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
        return add_in_lanes(parts);
    }
}

}  // namespace
}  // namespace fuseq::kernels::small_conv
