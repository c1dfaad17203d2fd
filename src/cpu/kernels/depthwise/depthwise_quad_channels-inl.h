// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The 32 channels of a block of depthwise_conv_quads.cpp, or the only 24 that there are: nothing else is
// read or written. To be included after hwy/highway.h, once a target.
#if defined(FUSEQ_KERNELS_DEPTHWISE_QUAD_CHANNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_DEPTHWISE_QUAD_CHANNELS_INL_H_
#undef FUSEQ_KERNELS_DEPTHWISE_QUAD_CHANNELS_INL_H_
#else
#define FUSEQ_KERNELS_DEPTHWISE_QUAD_CHANNELS_INL_H_
#endif

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"
#include "hwy/highway.h"

#if HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels::depthwise {
namespace HWY_NAMESPACE {

template <std::size_t Channels>
HWY_INLINE __m256i load_channels(const std::uint8_t* from) {
    if constexpr (Channels == kQuadChannels) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    } else {
        const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
        const __m128i rest = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + 16));
        return _mm256_inserti128_si256(_mm256_castsi128_si256(first), rest, 1);
    }
}

HWY_INLINE void store_channels(__m256i v, std::size_t channels, std::uint8_t* to) {
    if (channels == kQuadChannels) {
        return _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v);
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(v));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to + 16), _mm256_extracti128_si256(v, 1));
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels::depthwise
HWY_AFTER_NAMESPACE();
#endif

#endif  // toggle
