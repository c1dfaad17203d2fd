// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Float helpers that give the same bits on every Highway target, and the choice of a kernel by
// type. To be included after hwy/highway.h, once a target (the usual toggle of Highway's -inl.h
// files).
#if defined(FUSEQ_KERNELS_EXACT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_EXACT_INL_H_
#undef FUSEQ_KERNELS_EXACT_INL_H_
#else
#define FUSEQ_KERNELS_EXACT_INL_H_
#endif

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "fuseq/element_type.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Calls body with a value of the C++ type of u8 or i8, and of float for any other type.
template <class Body>
void with_element(ElementType type, const Body& body) {
    switch (type) {
        case ElementType::u8: return body(std::uint8_t{});
        case ElementType::i8: return body(std::int8_t{});
        default: return body(float{});
    }
}

// a * b + c, rounded once. Targets below AVX2 have no such instruction: lane by lane there.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V fused_mul_add(D d, V a, V b, V c) {
#if HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4
    alignas(16) float x[hn::MaxLanes(d)];
    alignas(16) float y[hn::MaxLanes(d)];
    alignas(16) float z[hn::MaxLanes(d)];
    hn::Store(a, d, x);
    hn::Store(b, d, y);
    hn::Store(c, d, z);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
        z[i] = std::fma(x[i], y[i], z[i]);
    }
    return hn::Load(d, z);
#else
    (void)d;
    return hn::MulAdd(a, b, c);
#endif
}

// Elements as floats. Exactly Lanes(d) elements are read or written, at any address.
template <class D>
HWY_INLINE hn::Vec<D> load_float(D d, const float* from) {
    return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> load_float(D d, const std::uint8_t* from) {
    const hn::Rebind<std::int32_t, D> d32;
    const hn::Rebind<std::uint8_t, D> d8;
    return hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, from)));
}
template <class D>
HWY_INLINE hn::Vec<D> load_float(D d, const std::int8_t* from) {
    const hn::Rebind<std::int32_t, D> d32;
    const hn::Rebind<std::int8_t, D> d8;
    return hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, from)));
}

// Stores floats as they are, or rounded half to even and saturated. Nothing wraps: values beyond
// 32-bit integers saturate too.
template <class D>
HWY_INLINE void store_float(D d, hn::Vec<D> v, float* to) {
    hn::StoreU(v, d, to);
}
// Rounded half to even; for values that fit.
HWY_INLINE __m128i round_raw(__m128 v) {
    return _mm_cvtps_epi32(v);
}
#if HWY_MAX_BYTES >= 32
HWY_INLINE __m256i round_raw(__m256 v) {
    return _mm256_cvtps_epi32(v);
}
#endif
#if HWY_MAX_BYTES >= 64
HWY_INLINE __m512i round_raw(__m512 v) {
    return _mm512_cvtps_epi32(v);
}
#endif

// Large values would become negative; very negative ones become the most negative integer, right.
template <class D, class VI = hn::Vec<hn::RebindToSigned<D>>>
HWY_INLINE VI round_below(D d, hn::Vec<D> v, float max) {
    return VI{round_raw(hn::Min(v, hn::Set(d, max)).raw)};
}
template <class D>
HWY_INLINE void store_float(D d, hn::Vec<D> v, std::uint8_t* to) {
    const auto rounded = round_below(d, v, 255.0f);
#if HWY_MAX_BYTES >= 64
    if constexpr (hn::MaxLanes(d) == 16) {
        const __m512i positive = _mm512_max_epi32(rounded.raw, _mm512_setzero_si512());
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtusepi32_epi8(positive));
        return;
    }
#endif
    const hn::Rebind<std::uint8_t, D> d8;
    hn::StoreU(hn::DemoteTo(d8, rounded), d8, to);
}
template <class D>
HWY_INLINE void store_float(D d, hn::Vec<D> v, std::int8_t* to) {
    const auto rounded = round_below(d, v, 127.0f);
#if HWY_MAX_BYTES >= 64
    if constexpr (hn::MaxLanes(d) == 16) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtsepi32_epi8(rounded.raw));
        return;
    }
#endif
    const hn::Rebind<std::int8_t, D> d8;
    hn::StoreU(hn::DemoteTo(d8, rounded), d8, to);
}

// Four vectors, stored one after the other. The packs work within 128-bit blocks; a permutation
// puts the blocks' parts in order.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void store_four(D d, V a, V b, V c, V e, float* to) {
    const std::size_t lanes = hn::Lanes(d);
    hn::StoreU(a, d, to);
    hn::StoreU(b, d, to + lanes);
    hn::StoreU(c, d, to + 2 * lanes);
    hn::StoreU(e, d, to + 3 * lanes);
}

template <class T>
HWY_INLINE __m128i pack_words(__m128i low, __m128i high, const T*) {
    return std::is_signed_v<T> ? _mm_packs_epi16(low, high) : _mm_packus_epi16(low, high);
}
HWY_INLINE __m128i pack_integers(__m128i low, __m128i high) {
    return _mm_packs_epi32(low, high);
}
HWY_INLINE void store_packed(__m128i v, void* to) {
    _mm_storeu_si128(static_cast<__m128i*>(to), v);
}
#if HWY_MAX_BYTES >= 32
template <class T>
HWY_INLINE __m256i pack_words(__m256i low, __m256i high, const T*) {
    return std::is_signed_v<T> ? _mm256_packs_epi16(low, high) : _mm256_packus_epi16(low, high);
}
HWY_INLINE __m256i pack_integers(__m256i low, __m256i high) {
    return _mm256_packs_epi32(low, high);
}
HWY_INLINE void store_packed(__m256i v, void* to) {
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256(static_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(v, order));
}
#endif
#if HWY_MAX_BYTES >= 64
template <class T>
HWY_INLINE __m512i pack_words(__m512i low, __m512i high, const T*) {
    return std::is_signed_v<T> ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
}
HWY_INLINE __m512i pack_integers(__m512i low, __m512i high) {
    return _mm512_packs_epi32(low, high);
}
HWY_INLINE void store_packed(__m512i v, void* to) {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    _mm512_storeu_si512(to, _mm512_permutexvar_epi32(order, v));
}
#endif

template <class D, class T, class V = hn::Vec<D>>
HWY_INLINE void store_four(D d, V a, V b, V c, V e, T* to) {
    const float max = std::is_signed_v<T> ? 127.0f : 255.0f;
    const auto low = pack_integers(round_below(d, a, max).raw, round_below(d, b, max).raw);
    const auto high = pack_integers(round_below(d, c, max).raw, round_below(d, e, max).raw);
    store_packed(pack_words(low, high, to), to);
}

// dst[i ...] = f(tag, i), rounded and saturated for integers, for whole vectors and then for single
// elements. f only reads.
template <class T, class F>
HWY_INLINE void map_elements(std::size_t count, T* dst, const F& f) {
    const hn::ScalableTag<float> d;
    const std::size_t n = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + 4 * n <= count; i += 4 * n) {
        store_four(d, f(d, i), f(d, i + n), f(d, i + 2 * n), f(d, i + 3 * n), dst + i);
    }
    for (; i + n <= count; i += n) {
        store_float(d, f(d, i), dst + i);
    }
    const hn::FixedTag<float, 1> one;
    for (; i < count; ++i) {
        store_float(one, f(one, i), dst + i);
    }
}

// N bytes or more: whole vectors, the last one moved back to end with the run. Writes nothing else.
template <std::size_t N>
HWY_INLINE void copy_vectors(const std::uint8_t* src, std::uint8_t* dst, std::size_t bytes) {
    const hn::FixedTag<std::uint8_t, N> d;
    const auto last = hn::LoadU(d, src + bytes - N);
    for (std::size_t i = 0; i + N < bytes; i += N) {
        hn::StoreU(hn::LoadU(d, src + i), d, dst + i);
    }
    hn::StoreU(last, d, dst + bytes - N);
}

// Calls body(tag, index) for whole vectors of floats, then for single elements.
template <class Body>
HWY_INLINE void for_vectors(std::size_t count, const Body& body) {
    const hn::ScalableTag<float> d;
    std::size_t i = 0;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
        body(d, i);
    }
    const hn::FixedTag<float, 1> one;
    for (; i < count; ++i) {
        body(one, i);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
