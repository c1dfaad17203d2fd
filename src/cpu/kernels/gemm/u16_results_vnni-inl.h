// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From sums of 16 channels to u16 or floats, in registers of AVX-512 VNNI. To be included by files
// of that target.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni_target.hpp"
#include "cpu/kernels/gemm/u16_product_detail.hpp"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::u16 {

// The constants of 16 channels, and those of them that there are.
struct Constants {
    __m512 scale, bias, slope, shift, low, high, rescale, zero;
    bool slopes;
    __mmask16 mask;
};

FUSEQ_INLINE Constants load_constants(const U16Finish& f, std::size_t channel) {
    const std::size_t left = f.channels() - channel;
    const auto optional = [&](const float* list, bool present) FUSEQ_LAMBDA {
        return present ? _mm512_loadu_ps(list + channel) : _mm512_setzero_ps();
    };
    return {.scale = _mm512_loadu_ps(f.scale() + channel),
            .bias = _mm512_loadu_ps(f.bias() + channel),
            .slope = optional(f.slope(), f.slope() != nullptr),
            .shift = _mm512_loadu_ps(f.shift() + channel),
            .low = _mm512_set1_ps(f.low()),
            .high = _mm512_set1_ps(f.high()),
            .rescale = optional(f.rescale(), f.rescale() != nullptr),
            .zero = optional(f.zero(), f.rescale() != nullptr),
            .slopes = f.slope() != nullptr,
            .mask = left >= kGroup ? __mmask16{0xffff} : static_cast<__mmask16>((1U << left) - 1U)};
}

// Two roundings.
FUSEQ_INLINE __m512 affine(__m512 x, __m512 scale, __m512 bias) {
    return _mm512_add_ps(_mm512_mul_ps(x, scale), bias);
}

// Whole numbers in 16 bits.
template <bool Rescale>
FUSEQ_INLINE __m512i finished(__m512i sum, const Constants& c) {
    const __m512 whole = _mm512_cvtepi32_ps(sum);
    __m512 x = Rescale ? affine(whole, c.scale, c.bias) : _mm512_fmadd_ps(whole, c.scale, c.bias);
    if (c.slopes) {
        const __mmask16 below = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LT_OQ);
        x = _mm512_add_ps(_mm512_mask_mul_ps(x, below, x, c.slope), c.shift);
    }
    x = _mm512_min_ps(_mm512_max_ps(x, c.low), c.high);
    if constexpr (Rescale) {
        x = _mm512_max_ps(affine(x, c.rescale, c.zero), _mm512_setzero_ps());
        x = _mm512_min_ps(x, _mm512_set1_ps(65535.0F));
    }
    return _mm512_cvtps_epi32(x);
}

// What is stored of 16 sums.
struct StoreFloats {
    using Type = float;
    static FUSEQ_INLINE void store(__m512i sum, const Constants& c, float* to) {
        _mm512_mask_storeu_ps(to, c.mask, affine(_mm512_cvtepi32_ps(sum), c.scale, c.bias));
    }
};
template <bool Rescale>
struct StoreIntegers {
    using Type = std::uint16_t;
    static FUSEQ_INLINE void store(__m512i sum, const Constants& c, std::uint16_t* to) {
        _mm512_mask_cvtepi32_storeu_epi16(to, c.mask, finished<Rescale>(sum, c));
    }
};

// Calls with(one of the above).
template <class F>
FUSEQ_INLINE void with_store_of(const U16Finish& f, const F& with) {
    if (f.to_floats()) {
        with(StoreFloats());
    } else if (f.rescale() != nullptr) {
        with(StoreIntegers<true>());
    } else {
        with(StoreIntegers<false>());
    }
}

}  // namespace fuseq::kernels::u16

FUSEQ_END_VNNI
