// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/common/copy_flipped.hpp"

#include <immintrin.h>

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl")

namespace fuseq::kernels {

void copy_flipped(const std::uint8_t* src,
                  std::uint8_t* dst,
                  std::size_t bytes,
                  std::uint8_t flip) {
    constexpr std::size_t kVector = 64;
    const __m512i by = _mm512_set1_epi8(static_cast<char>(flip));
    std::size_t i = 0;
    for (; i + kVector <= bytes; i += kVector) {
        _mm512_storeu_si512(dst + i, _mm512_xor_si512(_mm512_loadu_si512(src + i), by));
    }
    if (i < bytes) {
        const auto mask = static_cast<__mmask64>((std::uint64_t{1} << (bytes - i)) - 1);
        const __m512i v = _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, src + i), by);
        _mm512_mask_storeu_epi8(dst + i, mask, v);
    }
}

}  // namespace fuseq::kernels

#pragma GCC pop_options
