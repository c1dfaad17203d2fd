// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A requantizing add on 32 pairs of bytes in vectors of 256 bits: what
// gemm_vnni_requantizing_add-inl.h does with 512. A lane of 32 bits holds the bytes 0, q, 0, r. To be
// included after hwy/highway.h, once a target.
#if defined(FUSEQ_GEMM_VNNI256_REQUANTIZING_ADD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_GEMM_VNNI256_REQUANTIZING_ADD_INL_H_
#undef FUSEQ_GEMM_VNNI256_REQUANTIZING_ADD_INL_H_
#else
#define FUSEQ_GEMM_VNNI256_REQUANTIZING_ADD_INL_H_
#endif

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "hwy/highway.h"

#if HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

struct AddConstants {
    __m256i r_flip, shift, upper, lower, c;
};

HWY_INLINE AddConstants constants_of(const gemm::RequantizingAdd& add) {
    return {.r_flip = _mm256_set1_epi32(add.r_flip),
            .shift = _mm256_set1_epi32(add.shift),
            .upper = _mm256_set1_epi32(add.sum.upper),
            .lower = _mm256_set1_epi32(add.sum.lower),
            .c = _mm256_set1_epi32(add.sum.c)};
}

// The bytes 0, q, 0, r from the lower or the upper four pairs of each half.
template <class Product, bool Upper>
HWY_INLINE __m256i added_lanes(const AddConstants& k, __m256i pairs) {
    const __m256i take = _mm256_broadcastsi128_si256(
        Upper ? _mm_setr_epi8(-1, 8, -1, 9, -1, 10, -1, 11, -1, 12, -1, 13, -1, 14, -1, 15)
              : _mm_setr_epi8(-1, 0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1, 6, -1, 7));
    const __m256i lanes = _mm256_shuffle_epi8(pairs, take);
    return _mm256_srav_epi32(Product::add(Product::add_words(k.c, lanes, k.upper), k.lower, lanes),
                             k.shift);
}

// q: signed bytes, unsigned ones less 128; r: bytes as they are in memory. T: of the result.
template <class Product, class T>
HWY_INLINE __m256i added_bytes(const AddConstants& k, __m256i q, __m256i r) {
    r = _mm256_xor_si256(r, k.r_flip);
    const __m256i first = _mm256_unpacklo_epi8(q, r);
    const __m256i second = _mm256_unpackhi_epi8(q, r);
    const __m256i low = _mm256_packs_epi32(added_lanes<Product, false>(k, first),
                                           added_lanes<Product, true>(k, first));
    const __m256i high = _mm256_packs_epi32(added_lanes<Product, false>(k, second),
                                            added_lanes<Product, true>(k, second));
    return std::is_signed_v<T> ? _mm256_packs_epi16(low, high) : _mm256_packus_epi16(low, high);
}

// The rows of 16 bytes of a group, one in each half.
template <std::size_t Size>
HWY_INLINE __m256i load_residual(const std::uint8_t* from, std::size_t pitch) {
    const auto row = [&](std::size_t i) FUSEQ_HWY_LAMBDA {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * pitch));
    };
    return _mm256_inserti128_si256(_mm256_castsi128_si256(row(0)), row(Size == kGroup ? 1 : 0), 1);
}

// 16 bytes, in both halves.
HWY_INLINE __m256i load_halves(const std::uint8_t* from) {
    return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(from)));
}

// A group as bytes, rounded and saturated, in the order of memory.
template <class T, std::size_t Size>
HWY_INLINE __m256i to_bytes(const Group<Size>& g) {
    const __m256i low = _mm256_packs_epi32(round_raw(g.v[0].raw), round_raw(g.v[1].raw));
    __m256i high = low;
    if constexpr (Size == kGroup) {
        high = _mm256_packs_epi32(round_raw(g.v[2].raw), round_raw(g.v[3].raw));
    }
    const __m256i bytes =
        std::is_signed_v<T> ? _mm256_packs_epi16(low, high) : _mm256_packus_epi16(low, high);
    return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

// The signed bytes q.
template <bool Unsigned, std::size_t Size>
HWY_INLINE __m256i quantized(const Group<Size>& g) {
    return Unsigned ? _mm256_xor_si256(to_bytes<std::uint8_t>(g),
                                       _mm256_set1_epi8(static_cast<char>(0x80)))
                    : to_bytes<std::int8_t>(g);
}

// Of 16 channels, or of 8.
template <std::size_t Size>
HWY_INLINE void store_halves(__m256i rows,
                             std::uint8_t* to,
                             std::size_t pitch,
                             std::size_t channels) {
    if (channels != gemm::kLanes) {
        _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(rows));
        if constexpr (Size == kGroup) {
            _mm_storel_epi64(reinterpret_cast<__m128i*>(to + pitch),
                             _mm256_extracti128_si256(rows, 1));
        }
        return;
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(rows));
    if constexpr (Size == kGroup) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + pitch), _mm256_extracti128_si256(rows, 1));
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();
#endif

#endif  // toggle
