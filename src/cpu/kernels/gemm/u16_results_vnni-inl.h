// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From sums of 16 channels to u16 or floats, in registers of AVX-512 VNNI. To be included by files
// of that target.
#pragma once

#include <immintrin.h>

#include <type_traits>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni_target.hpp"
#include "cpu/kernels/gemm/u16_product_detail.hpp"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::u16 {

// What follows a sum: a bound above and a rounding; the same with a scale between them; all that
// there is.
enum class Way : std::uint8_t { kLinear, kRescaled, kGeneral };

// The constants of 16 channels, and those of them that there are.
struct Constants {
    __m512 scale, bias, slope, shift, low, high, rescale;
    bool slopes, rescales;
    __mmask16 mask;
};

FUSEQ_INLINE Constants load_constants(const U16Finish& f, std::size_t channel) {
    const std::size_t left = f.channels() - channel;
    const auto optional = [&](const float* list) FUSEQ_LAMBDA {
        return list != nullptr ? _mm512_loadu_ps(list + channel) : _mm512_setzero_ps();
    };
    return {.scale = _mm512_loadu_ps(f.scale() + channel),
            .bias = _mm512_loadu_ps(f.bias() + channel),
            .slope = optional(f.slope()),
            .shift = _mm512_loadu_ps(f.shift() + channel),
            .low = _mm512_set1_ps(f.low()),
            .high = _mm512_loadu_ps(f.high() + channel),
            .rescale = optional(f.rescale()),
            .slopes = f.slope() != nullptr,
            .rescales = f.rescale() != nullptr,
            .mask = left >= kGroup ? __mmask16{0xffff} : static_cast<__mmask16>((1U << left) - 1U)};
}

// Two roundings.
FUSEQ_INLINE __m512 affine(__m512i sum, const Constants& c) {
    return _mm512_add_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(sum), c.scale), c.bias);
}

// Whole numbers up to 65535; those below zero stand for zero.
template <Way kWay>
FUSEQ_INLINE __m512i finished(__m512i sum, const Constants& c) {
    const bool rescales = kWay == Way::kRescaled || (kWay == Way::kGeneral && c.rescales);
    __m512 x =
        rescales ? affine(sum, c) : _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), c.scale, c.bias);
    if constexpr (kWay == Way::kGeneral) {
        if (c.slopes) {
            const __mmask16 below = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LT_OQ);
            x = _mm512_add_ps(_mm512_mask_mul_ps(x, below, x, c.slope), c.shift);
        }
        x = _mm512_max_ps(x, c.low);
    }
    x = _mm512_min_ps(x, c.high);
    return _mm512_cvtps_epi32(rescales ? _mm512_mul_ps(x, c.rescale) : x);
}

// What is stored of 16 sums, and of 32 ones.
struct StoreFloats {
    using Type = float;
    static FUSEQ_INLINE void store(__m512i sum, const Constants& c, float* to) {
        _mm512_mask_storeu_ps(to, c.mask, affine(sum, c));
    }
    static FUSEQ_INLINE void store(
        __m512i first, const Constants& a, __m512i second, const Constants& b, float* to) {
        store(first, a, to);
        store(second, b, to + kGroup);
    }
};
template <Way kWay>
struct StoreIntegers {
    using Type = std::uint16_t;
    static FUSEQ_INLINE __m512i packed(__m512i first, __m512i second) {
        const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
        return _mm512_permutexvar_epi64(order, _mm512_packus_epi32(first, second));
    }
    static FUSEQ_INLINE void store(__m512i sum, const Constants& c, std::uint16_t* to) {
        const __m512i x = finished<kWay>(sum, c);
        _mm256_mask_storeu_epi16(to, c.mask, _mm512_castsi512_si256(packed(x, x)));
    }
    static FUSEQ_INLINE void store(
        __m512i first, const Constants& a, __m512i second, const Constants& b, std::uint16_t* to) {
        const __mmask32 mask = _mm512_kunpackw(b.mask, a.mask);
        _mm512_mask_storeu_epi16(to, mask,
                                 packed(finished<kWay>(first, a), finished<kWay>(second, b)));
    }
};

// Calls with(the Way of `f`, as a type).
template <class F>
FUSEQ_INLINE void with_way_of(const U16Finish& f, const F& with) {
    if (!f.is_plain()) {
        with(std::integral_constant<Way, Way::kGeneral>());
    } else if (f.rescale() != nullptr) {
        with(std::integral_constant<Way, Way::kRescaled>());
    } else {
        with(std::integral_constant<Way, Way::kLinear>());
    }
}

// Calls with(StoreFloats, or StoreIntegers of the Way).
template <class F>
FUSEQ_INLINE void with_store_of(const U16Finish& f, const F& with) {
    if (f.to_floats()) {
        return with(StoreFloats());
    }
    with_way_of(f, [&](auto way) FUSEQ_LAMBDA { with(StoreIntegers<way()>()); });
}

}  // namespace fuseq::kernels::u16

FUSEQ_END_VNNI
