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

#include "cpu/kernels/common/unrolled-inl.h"
#include "cpu/kernels/common/vnni_target.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::gemm {
namespace {

// Odd multiples of the step from pixel to pixel. An address has room for a factor of 1, 2, 4 or 8,
// so that these six registers and the first pixel reach 14 pixels.
struct Steps {
    std::ptrdiff_t one, three, five, seven, nine, eleven, thirteen;
};
constexpr std::size_t kReach = 14;

// Pixels from number Reach on are counted from the second one.
template <std::size_t M, std::size_t Reach>
FUSEQ_INLINE const std::uint8_t* pixel(const std::uint8_t* first,
                                       const std::uint8_t* second,
                                       const Steps& s) {
    if constexpr (M >= Reach) {
        return pixel<M - Reach, kReach>(second, second, s);
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

// Accumulators are passed from function to function, not captured by lambdas: the compiler must see
// soon that nobody needs their addresses, or it keeps them in memory. Row m, vector n of the tile
// is number m * Vectors + n.
template <std::size_t Vectors, std::size_t... I>
FUSEQ_INLINE void begin(Registers<__m512i, sizeof...(I)>& acc,
                        const std::int32_t* init,
                        std::index_sequence<I...>) {
    ((acc.v[I] = _mm512_load_si512(init + kLanes * (I % Vectors))), ...);
}

template <std::size_t M, std::size_t Count, std::size_t... N>
FUSEQ_INLINE void add_row(Registers<__m512i, Count>& acc,
                          __m512i a,
                          const Registers<__m512i, sizeof...(N)>& b,
                          std::index_sequence<N...>) {
    ((acc.v[M * sizeof...(N) + N] = _mm512_dpbusd_epi32(acc.v[M * sizeof...(N) + N], a, b.v[N])),
     ...);
}

// Four bytes of depth.
template <std::size_t Reach, std::size_t Vectors, std::size_t Count, std::size_t... M>
FUSEQ_INLINE void add_rows(Registers<__m512i, Count>& acc,
                           const std::uint8_t* first,
                           const std::uint8_t* second,
                           const Steps& steps,
                           const Registers<__m512i, Vectors>& b,
                           std::index_sequence<M...>) {
    (add_row<M>(acc, broadcast(pixel<M, Reach>(first, second, steps)), b,
                std::make_index_sequence<Vectors>{}),
     ...);
}

FUSEQ_INLINE __m512i in_register(__m512i v) {
#if FUSEQ_VECTOR_ASM
    asm volatile("" : "+v"(v));
#endif
    return v;
}

// What follows may need other registers: whatever must go to memory goes after the loops.
template <std::size_t... I>
FUSEQ_INLINE void leave_loops(Registers<__m512i, sizeof...(I)>& acc, std::index_sequence<I...>) {
    ((acc.v[I] = in_register(acc.v[I])), ...);
}

// Pooled: the second half of the rows is in the next row of the image.
template <std::size_t Rows, std::size_t Vectors, bool Pooled = false>
FUSEQ_INLINE void accumulate(const MicroCall& call, Registers<__m512i, Rows * Vectors>& acc) {
    begin<Vectors>(acc, call.init, std::make_index_sequence<Rows * Vectors>{});
    const std::ptrdiff_t step = call.src_step;
    Steps steps{step, 3 * step, 5 * step, 7 * step, 9 * step, 11 * step, 13 * step};
    const std::int8_t* wei = call.wei;
    const std::size_t bytes = call.depth4 * 64 * Vectors;  // of a tap
    const std::int8_t* ahead = call.ahead;
    const std::size_t ahead_step = call.ahead_step;
    for (const std::ptrdiff_t tap : call.taps) {
        const std::uint8_t* first = call.src + tap;
        const std::int8_t* const end = wei + bytes;  // compared with: no register is left to count
        do {
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
            b.v[0] = _mm512_load_si512(wei);
            if constexpr (Vectors == 2) {
                b.v[1] = _mm512_load_si512(wei + 64);
            }
            if constexpr (Pooled) {
                add_rows<Rows / 2>(acc, first, first + call.row_step, steps, b,
                                   std::make_index_sequence<Rows>{});
            } else {
                constexpr auto kSteps = static_cast<std::ptrdiff_t>(kReach);
                add_rows<kReach>(acc, first, first + kSteps * steps.one, steps, b,
                                 std::make_index_sequence<Rows>{});
            }
            first += 4;
            _mm_prefetch(reinterpret_cast<const char*>(ahead), _MM_HINT_T1);
            ahead += ahead_step;
            wei += 64 * Vectors;
        } while (wei != end);
        wei += call.skip;
    }
    leave_loops(acc, std::make_index_sequence<Rows * Vectors>{});
}

template <std::size_t... I>
FUSEQ_INLINE void store_all(const Registers<__m512i, sizeof...(I)>& acc,
                            std::int32_t* tile,
                            std::index_sequence<I...>) {
    (_mm512_store_si512(tile + kLanes * I, acc.v[I]), ...);
}

template <std::size_t Rows, std::size_t Vectors>
void micro(const MicroCall& call) {
    Registers<__m512i, Rows * Vectors> acc;
    accumulate<Rows, Vectors>(call, acc);
    store_all(acc, call.tile, std::make_index_sequence<Rows * Vectors>{});
}

// The largest of two by two pixels, vector I % Vectors of pixel I / Vectors of Pixels.
template <std::size_t I, std::size_t Pixels, std::size_t Vectors, std::size_t Count>
FUSEQ_INLINE __m512i largest(const Registers<__m512i, Count>& acc) {
    constexpr std::size_t kFirst = I / Vectors * 2 * Vectors + I % Vectors;
    constexpr std::size_t kBelow = kFirst + 2 * Pixels * Vectors;
    return _mm512_max_epi32(_mm512_max_epi32(acc.v[kFirst], acc.v[kFirst + Vectors]),
                            _mm512_max_epi32(acc.v[kBelow], acc.v[kBelow + Vectors]));
}

template <std::size_t Pixels, std::size_t Vectors, std::size_t... I>
FUSEQ_INLINE void store_largest(const Registers<__m512i, 4 * Pixels * Vectors>& acc,
                                std::int32_t* tile,
                                std::index_sequence<I...>) {
    (_mm512_store_si512(tile + kLanes * I, largest<I, Pixels, Vectors>(acc)), ...);
}

template <std::size_t Pixels, std::size_t Vectors>
void pooled_micro(const MicroCall& call) {
    Registers<__m512i, 4 * Pixels * Vectors> acc;
    accumulate<4 * Pixels, Vectors, true>(call, acc);
    store_largest<Pixels, Vectors>(acc, call.tile, std::make_index_sequence<Pixels * Vectors>{});
}

}  // namespace
}  // namespace fuseq::kernels::gemm

FUSEQ_END_VNNI
