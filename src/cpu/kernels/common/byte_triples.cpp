// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/common/byte_triples.hpp"

#include <array>

#include <immintrin.h>

namespace fuseq::kernels {
namespace {

constexpr std::size_t kVector = 64;
constexpr std::size_t kChannels = 3;

struct alignas(kVector) Indices {
    std::array<std::uint8_t, kVector> bytes{};
};

// Where the bytes of a channel are in two vectors: those of the first two of three vectors of
// pixels, or those and the third.
constexpr Indices indices_of(std::size_t channel, bool third) {
    Indices result;
    for (std::size_t i = 0; i < kVector; ++i) {
        const std::size_t at = kChannels * i + channel;
        const bool after = at >= 2 * kVector;
        const std::size_t index = !third ? at % (2 * kVector) : after ? at - kVector : i;
        result.bytes[i] = static_cast<std::uint8_t>(index);
    }
    return result;
}

constexpr Indices kFirst[] = {indices_of(0, false), indices_of(1, false), indices_of(2, false)};
constexpr Indices kThird[] = {indices_of(0, true), indices_of(1, true), indices_of(2, true)};

}  // namespace

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")

void split_triples(const std::uint8_t* src,
                   std::uint8_t* planes,
                   std::size_t plane,
                   std::size_t pixels) {
    std::size_t i = 0;
    for (; i + kVector <= pixels; i += kVector) {
        const std::uint8_t* from = src + kChannels * i;
        const __m512i a = _mm512_loadu_si512(from);
        const __m512i b = _mm512_loadu_si512(from + kVector);
        const __m512i c = _mm512_loadu_si512(from + 2 * kVector);
#pragma GCC unroll 3
        for (std::size_t n = 0; n < kChannels; ++n) {
            const __m512i first =
                _mm512_permutex2var_epi8(a, _mm512_load_si512(kFirst[n].bytes.data()), b);
            const __m512i all =
                _mm512_permutex2var_epi8(first, _mm512_load_si512(kThird[n].bytes.data()), c);
            _mm512_storeu_si512(planes + n * plane + i, all);
        }
    }
    for (; i < pixels; ++i) {
        for (std::size_t n = 0; n < kChannels; ++n) {
            planes[n * plane + i] = src[kChannels * i + n];
        }
    }
}

#pragma GCC pop_options

}  // namespace fuseq::kernels
