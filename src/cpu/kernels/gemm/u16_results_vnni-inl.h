// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From sums of 16 channels to u16, in registers of AVX-512 VNNI. To be included by files of that
// target.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni_target.hpp"
#include "cpu/kernels/gemm/u16_product_detail.hpp"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::u16 {

// The constants of 16 channels, and those of them that there are.
struct Constants {
    __m512 scale, bias, slope, shift, low, high;
    bool slopes;
    __mmask16 mask;
};

FUSEQ_INLINE Constants load_constants(const U16Finish& f, std::size_t channel) {
    const std::size_t left = f.channels() - channel;
    return {
        .scale = _mm512_loadu_ps(f.scale() + channel),
        .bias = _mm512_loadu_ps(f.bias() + channel),
        .slope = f.slope() == nullptr ? _mm512_setzero_ps() : _mm512_loadu_ps(f.slope() + channel),
        .shift = _mm512_loadu_ps(f.shift() + channel),
        .low = _mm512_set1_ps(f.low()),
        .high = _mm512_set1_ps(f.high()),
        .slopes = f.slope() != nullptr,
        .mask = left >= kGroup ? __mmask16{0xffff} : static_cast<__mmask16>((1U << left) - 1U)};
}

// Whole numbers in 16 bits.
FUSEQ_INLINE __m512i finished(__m512i sum, const Constants& c) {
    __m512 x = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), c.scale, c.bias);
    if (c.slopes) {
        const __mmask16 below = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LT_OQ);
        x = _mm512_add_ps(_mm512_mask_mul_ps(x, below, x, c.slope), c.shift);
    }
    x = _mm512_min_ps(_mm512_max_ps(x, c.low), c.high);
    return _mm512_cvtps_epi32(x);
}
FUSEQ_INLINE void store_result(__m512i sum, const Constants& c, std::uint16_t* to) {
    _mm512_mask_cvtepi32_storeu_epi16(to, c.mask, finished(sum, c));
}

}  // namespace fuseq::kernels::u16

FUSEQ_END_VNNI
