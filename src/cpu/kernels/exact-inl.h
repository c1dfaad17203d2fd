// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Float helpers that give the same bits on every Highway target. To be included after
// hwy/highway.h, once a target (the usual toggle of Highway's -inl.h files).
#if defined(FUSEQ_KERNELS_EXACT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_EXACT_INL_H_
#undef FUSEQ_KERNELS_EXACT_INL_H_
#else
#define FUSEQ_KERNELS_EXACT_INL_H_
#endif

#include <cmath>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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
HWY_INLINE VI round_below(D d, hn::Vec<D> v, float most) {
    return VI{round_raw(hn::Min(v, hn::Set(d, most)).raw)};
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
