// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The micro-kernel of gemm_vnni_wide.hpp. Only generated files include it: see
// src/cpu/kernels/CMakeLists.txt.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <iterator>

#include "cpu/kernels/common/vnni_target.hpp"
#include "cpu/kernels/gemm/gemm_vnni_micro-inl.h"
#include "cpu/kernels/gemm/gemm_vnni_wide.hpp"
#include "cpu/kernels/gemm/gemm_vnni_wide_epilogue-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::gemm {
namespace {

// Groups of a tile, for 24 accumulators.
constexpr std::size_t max_groups(std::size_t vectors) {
    return vectors == 3 ? 8 : 6;
}

template <std::size_t Vectors, std::size_t... I>
FUSEQ_INLINE void begin_wide(Registers<__m512i, sizeof...(I)>& acc,
                             const WidePanel& panel,
                             std::index_sequence<I...>) {
    ((acc.v[I] = _mm512_load_si512(panel.vectors[I % Vectors].init)), ...);
}

template <std::size_t Rows, std::size_t Vectors>
FUSEQ_INLINE void accumulate_wide(const WideCall& call,
                                  const std::uint8_t* src,
                                  const std::int8_t*& ahead,
                                  Registers<__m512i, Rows * Vectors>& acc) {
    begin_wide<Vectors>(acc, *call.panel, std::make_index_sequence<Rows * Vectors>{});
    const std::ptrdiff_t step = call.src_step;
    Steps steps{step, 3 * step, 5 * step, 7 * step, 9 * step, 11 * step, 13 * step};
    const std::int8_t* wei = call.wei;
    const std::size_t bytes = call.depth4 * 64 * Vectors;  // of a tap
    for (const std::ptrdiff_t tap : call.taps) {
        const std::uint8_t* first = src + tap;
        const std::int8_t* const end = wei + bytes;
        do {
            // As in the other micro-kernel: no registers for multiples of these.
            asm("" : "+r"(steps.one));
            if constexpr (Rows > 6) {
                asm("" : "+r"(steps.three));
            }
            if constexpr (Rows > 10) {
                asm("" : "+r"(steps.five));
            }
            Registers<__m512i, Vectors> b;
            unrolled<Vectors>([&](auto n)
                                  FUSEQ_LAMBDA { b[n] = _mm512_load_si512(wei + 64 * n()); });
            const std::uint8_t* const second = first + static_cast<std::ptrdiff_t>(kReach) * step;
            add_rows<kReach>(acc, first, second, steps, b, std::make_index_sequence<Rows>{});
            first += 4;
            _mm_prefetch(reinterpret_cast<const char*>(ahead), _MM_HINT_T1);
            ahead += call.ahead_step;
            wei += 64 * Vectors;
        } while (wei != end);
        wei += call.skip;
    }
    // New names for the sums: where the epilogue runs out of registers GCC stores what it needs
    // later once, here, and not in each round of the loop.
#if FUSEQ_VECTOR_ASM
    unrolled<Rows * Vectors>([&](auto i) FUSEQ_LAMBDA { asm("" : "+v"(acc.v[i()])); });
#endif
}

// The residual input of the next tile, and the lines of dst of this one.
FUSEQ_INLINE void fetch_pixels(const Stores& to, std::ptrdiff_t rows) {
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
        __builtin_prefetch(to.residual + (rows + i) * to.step);
        __builtin_prefetch(to.dst + i * to.step, 1);
    }
}

template <std::size_t Vectors, WideEpilogue How, std::size_t Groups>
const std::int8_t* wide_tiles_of(const WideCall& call,
                                 const std::uint8_t* src,
                                 const std::int8_t* ahead,
                                 const Stores& stores,
                                 std::size_t tiles) {
    constexpr std::size_t kRows = Groups * group_rows(Vectors);
    const WidePanel& panel = *call.panel;
    Stores to = stores;  // nothing that is stored can change it
    for (std::size_t t = 0; t < tiles; ++t) {
        if constexpr (reads_residual(How)) {
            fetch_pixels(to, kRows);
        }
        Registers<__m512i, kRows * Vectors> acc;
        accumulate_wide<kRows, Vectors>(call, src, ahead, acc);
        finish_vectors<Vectors, How>(panel, to.sums, acc);
        const AddConstants add = load_add<How>(to);
        unrolled<Groups>([&](auto g) FUSEQ_LAMBDA {
            finish_group<Vectors, How, g()>(panel, acc, to, add);
            to.dst += static_cast<std::ptrdiff_t>(group_rows(Vectors)) * to.step;
            if constexpr (reads_residual(How)) {
                to.residual += static_cast<std::ptrdiff_t>(group_rows(Vectors)) * to.step;
            }
        });
        src += static_cast<std::ptrdiff_t>(kRows) * call.src_step;
        to.sums += to.sums == nullptr ? 0 : kRows;
    }
    return ahead;
}

template <std::size_t Vectors, WideEpilogue How>
struct WideRun {
    const WideCall& call;
    const std::int8_t* ahead;
    Stores to;

    template <std::size_t... G>
    void dispatch(const std::uint8_t* src,
                  std::size_t groups,
                  std::size_t count,
                  std::index_sequence<G...>) {
        (void)((groups == G + 1
                    ? (ahead = wide_tiles_of<Vectors, How, G + 1>(call, src, ahead, to, count),
                       true)
                    : false) ||
               ...);
    }

    // `count` tiles of `groups` groups, from a pixel on.
    void tiles(std::size_t pixel, std::size_t groups, std::size_t count) {
        if (count == 0) {
            return;
        }
        const auto at = static_cast<std::ptrdiff_t>(pixel);
        to.dst = call.dst + at * call.dst_step;
        to.sums = call.sums == nullptr ? nullptr : call.sums + pixel;
        if constexpr (reads_residual(How)) {
            to.residual = call.residual + at * call.dst_step;
        }
        dispatch(call.src + at * call.src_step, groups, count,
                 std::make_index_sequence<max_groups(Vectors)>{});
    }
};

// The last `count` pixels one by one: a group is the same pixel several times.
template <std::size_t Vectors, WideEpilogue How>
void run_singly(const WideCall& call, std::size_t count) {
    WideCall one = call;
    const auto first = static_cast<std::ptrdiff_t>(call.pixels - count);
    one.src_step = one.dst_step = 0;
    one.pixels = group_rows(Vectors);
    for (std::ptrdiff_t i = first; i < static_cast<std::ptrdiff_t>(call.pixels); ++i) {
        one.src = call.src + i * call.src_step;
        one.dst = call.dst + i * call.dst_step;
        one.residual = reads_residual(How) ? call.residual + i * call.dst_step : nullptr;
        float sums[group_rows(Vectors)];
        if (call.sums != nullptr) {
            std::fill(std::begin(sums), std::end(sums), call.sums[i]);
            one.sums = sums;
        }
        run_wide<Vectors, How>(one);
    }
}

// One group whose sums lie in memory, `step` elements from a pixel to the next.
template <std::size_t Vectors, WideEpilogue How>
FUSEQ_INLINE void finish_stored_group(const WidePanel& panel,
                                      const std::int32_t* sums,
                                      std::size_t step,
                                      const Stores& to) {
    constexpr std::size_t kInGroup = group_rows(Vectors) * Vectors;
    Registers<__m512i, kInGroup> acc;
    unrolled<kInGroup>([&](auto i) FUSEQ_LAMBDA {
        acc[i] = _mm512_load_si512(sums + i() / Vectors * step + i() % Vectors * 16);
    });
    finish_vectors<Vectors, How>(panel, to.sums, acc);
    finish_group<Vectors, How, 0>(panel, acc, to, load_add<How>(to));
}

}  // namespace

template <std::size_t Vectors, WideEpilogue How>
void run_wide(const WideCall& call) {
    constexpr std::size_t kRows = group_rows(Vectors);
    if (call.pixels < kRows) {
        return run_singly<Vectors, How>(call, call.pixels);
    }
    WideRun<Vectors, How> run{call, call.ahead, stores_of<Vectors, How>(call)};
    // Tiles of two sizes that differ by one group.
    const std::size_t groups = call.pixels / kRows;
    const std::size_t tiles = (groups + max_groups(Vectors) - 1) / max_groups(Vectors);
    const std::size_t larger = groups % tiles;
    const std::size_t size = groups / tiles;
    run.tiles(0, size + 1, larger);
    run.tiles(larger * (size + 1) * kRows, size, tiles - larger);
    const std::size_t left = call.pixels % kRows;
    if (left != 0 && reads_residual(How)) {  // dst may be the residual input
        run_singly<Vectors, How>(call, left);
    } else if (left != 0) {  // overlaps the pixels before
        run.tiles(call.pixels - kRows, 1, 1);
    }
}

template <std::size_t Vectors, WideEpilogue How>
void finish_wide(const WideCall& call, const std::int32_t* sums) {
    constexpr std::size_t kRows = group_rows(Vectors);
    constexpr std::size_t kStep = 16 * Vectors;
    Stores to = stores_of<Vectors, How>(call);
    const auto advance = [&](std::size_t pixels) {
        const std::ptrdiff_t bytes = static_cast<std::ptrdiff_t>(pixels) * call.dst_step;
        to.dst += bytes;
        to.residual += to.residual == nullptr ? 0 : bytes;
        sums += pixels * kStep;
    };
    std::size_t pixel = 0;
    for (; pixel + kRows <= call.pixels; pixel += kRows) {
        finish_stored_group<Vectors, How>(*call.panel, sums, kStep, to);
        advance(kRows);
        to.sums += to.sums == nullptr ? 0 : kRows;
    }
    // The last pixels one by one: a group is the same pixel several times.
    const float* const windows = to.sums;
    to.step = 0;
    to.whole = false;
    for (std::size_t i = 0; pixel + i < call.pixels; ++i) {
        float same[kRows] = {};
        std::fill(std::begin(same), std::end(same), windows == nullptr ? 0.0f : windows[i]);
        to.sums = windows == nullptr ? nullptr : same;
        finish_stored_group<Vectors, How>(*call.panel, sums, 0, to);
        advance(1);
    }
}

}  // namespace fuseq::kernels::gemm

FUSEQ_END_VNNI
