// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The micro-kernel of the integer matrix product: Rows x Vectors accumulators in registers; each
// step loads four bytes of every row, broadcast, and one vector of weights a column of
// accumulators. 14 x 2 and 28 x 1 leave four (three) registers for operands and need one load for
// 1.75 (0.97) dot products; the machine does two of each a cycle.
//
// For the files that instantiate it only; two of them, to share the compiler's work.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/gemm_vnni_detail.hpp"
#include "cpu/kernels/unrolled-inl.h"

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")

namespace fuseq::kernels::gemm {
namespace {

// Odd multiples of the step from pixel to pixel. An address has room for a factor of 1, 2, 4 or 8,
// so that these six registers and the first pixel reach 14 pixels.
struct Steps {
    std::ptrdiff_t one, three, five, seven, nine, eleven, thirteen;
};
constexpr std::size_t kReach = 14;

template <std::size_t M>
FUSEQ_INLINE const std::uint8_t* pixel(const std::uint8_t* first,
                                       const std::uint8_t* second,
                                       const Steps& s) {
    if constexpr (M >= kReach) {
        return pixel<M - kReach>(second, second, s);
    } else if constexpr (M == 0) {
        return first;
    } else if constexpr (M == 1 || M == 2 || M == 4 || M == 8) {
        return first + s.one * static_cast<std::ptrdiff_t>(M);
    } else if constexpr (M % 3 == 0 && M != 9) {
        return first + s.three * static_cast<std::ptrdiff_t>(M / 3);
    } else if constexpr (M % 5 == 0) {
        return first + s.five * static_cast<std::ptrdiff_t>(M / 5);
    } else {
        return first + (M == 7 ? s.seven : M == 9 ? s.nine : M == 11 ? s.eleven : s.thirteen);
    }
}

FUSEQ_INLINE __m512i broadcast(const std::uint8_t* from) {
    std::int32_t four;
    __builtin_memcpy(&four, from, sizeof(four));
    return _mm512_set1_epi32(four);
}

template <std::size_t Rows, std::size_t Vectors>
void micro(const MicroCall& call) {
    Registers<__m512i, Rows * Vectors> acc;
    unrolled<Vectors>([&](auto n) FUSEQ_LAMBDA {
        // Loads, not copies of a register: those would take the place of a product.
        unrolled<Rows>([&](auto m) FUSEQ_LAMBDA {
            const std::int32_t* init = call.init + kLanes * n;
            asm("" : "+r"(init));
            acc.v[m * Vectors + n] = _mm512_load_si512(init);
        });
    });
    const std::ptrdiff_t step = call.src_step;
    Steps steps{step, 3 * step, 5 * step, 7 * step, 9 * step, 11 * step, 13 * step};
    const std::int8_t* wei = call.wei;
    const std::int8_t* ahead = call.ahead;
    for (const std::ptrdiff_t tap : call.taps) {
        const std::uint8_t* first = call.src + tap;
        const std::uint8_t* second = first + static_cast<std::ptrdiff_t>(kReach) * step;
        for (std::size_t k = call.depth4; k != 0; --k) {
            // Keeps the compiler from computing the multiples before the loop: there are not
            // enough registers for them.
            asm("" : "+r"(steps.one));
            if constexpr (Rows > 6) {
                asm("" : "+r"(steps.three));
            }
            if constexpr (Rows > 10) {
                asm("" : "+r"(steps.five));
            }
            Registers<__m512i, Vectors> b;
            unrolled<Vectors>([&](auto n)
                                  FUSEQ_LAMBDA { b.v[n] = _mm512_load_si512(wei + 64 * n); });
            unrolled<Rows>([&](auto m) FUSEQ_LAMBDA {
                const __m512i a = broadcast(pixel<m>(first, second, steps));
                unrolled<Vectors>([&](auto n) FUSEQ_LAMBDA {
                    constexpr std::size_t i = decltype(m)::value * Vectors + decltype(n)::value;
                    acc.v[i] = _mm512_dpbusd_epi32(acc.v[i], a, b.v[n]);
                });
            });
            first += 4;
            second += 4;
            _mm_prefetch(reinterpret_cast<const char*>(ahead), _MM_HINT_T1);
            ahead += call.ahead_step;
            wei += 64 * Vectors;
        }
    }
    std::int32_t* const tile = call.tile;  // which the compiler takes for memory that stores change
    unrolled<Rows * Vectors>([&](auto i)
                                 FUSEQ_LAMBDA { _mm512_store_si512(tile + kLanes * i, acc.v[i]); });
}

template <std::size_t Vectors, std::size_t... I>
const MicroFunction* all(std::index_sequence<I...>) {
    static constexpr MicroFunction kFunctions[] = {&micro<I + 1, Vectors>...};
    return kFunctions;
}

}  // namespace
}  // namespace fuseq::kernels::gemm

#pragma GCC pop_options
