// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of products of 16-bit values by vpdpwssd: 32 products an instruction.
#include <array>
#include <cstring>
#include <utility>

#include <immintrin.h>

#include "cpu/kernels/common/unrolled-inl.h"
#include "cpu/kernels/gemm/u16_product_detail.hpp"
#include "cpu/kernels/gemm/u16_results_vnni-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::u16 {
namespace {

constexpr std::size_t kMaxPixels = 12;  // of a tile of two groups: 24 sums, weights, a source

FUSEQ_INLINE __m512i broadcast_pair(const std::int16_t* from) {
    std::int32_t pair;
    std::memcpy(&pair, from, sizeof(pair));
    return _mm512_set1_epi32(pair);
}

template <std::size_t Pixels, std::size_t Groups>
using Sums = Registers<__m512i, Pixels * Groups>;

template <std::size_t Pixels, std::size_t Groups>
FUSEQ_INLINE void store_tile(const PairCall& call,
                             std::size_t first,
                             const Sums<Pixels, Groups>& sums) {
    const Results& results = call.results;
    if (results.finish == nullptr) {
        return unrolled<Pixels * Groups>([&](auto i) FUSEQ_LAMBDA {
            _mm512_storeu_ps(call.sums + (first + i / Groups) * call.pitch + i % Groups * kGroup,
                             _mm512_cvtepi32_ps(sums[i]));
        });
    }
    with_store_of(*results.finish, [&](auto way) FUSEQ_LAMBDA {
        using Type = typename decltype(way)::Type;
        const std::size_t step = results.finish->channels();
        Type* const to = static_cast<Type*>(results.dst) + first * step + results.channel;
        const Constants a = load_constants(*results.finish, results.channel);
        if constexpr (Groups == 1) {
            unrolled<Pixels>([&](auto p) FUSEQ_LAMBDA { way.store(sums[p], a, to + p * step); });
        } else {
            const Constants b = load_constants(*results.finish, results.channel + kGroup);
            unrolled<Pixels>([&](auto p) FUSEQ_LAMBDA {
                way.store(sums[2 * p], a, sums[2 * p + 1], b, to + p * step);
            });
        }
    });
}

template <std::size_t Pixels, std::size_t Groups>
void sum_tile(const PairCall& call, std::size_t first) {
    Sums<Pixels, Groups> sums;
    unrolled<Pixels * Groups>([&](auto i) FUSEQ_LAMBDA {
        sums[i] = _mm512_loadu_si512(call.init + i % Groups * kGroup);
    });
    const std::int16_t* wei = call.wei;
    const std::ptrdiff_t step = call.src_step;
    const std::int16_t* const src = call.src + static_cast<std::ptrdiff_t>(first) * step;
    for (const std::ptrdiff_t tap : call.taps) {
        const std::int16_t* at = src + tap;
        for (std::size_t i = 0; i < call.pairs; ++i, at += 2, wei += 2 * kGroup) {
            Registers<__m512i, Groups> w;
            unrolled<Groups>(
                [&](auto g) FUSEQ_LAMBDA { w[g] = _mm512_load_si512(wei + g * call.wei_step); });
            unrolled<Pixels>([&](auto p) FUSEQ_LAMBDA {
                const __m512i x = broadcast_pair(at + static_cast<std::ptrdiff_t>(p) * step);
                unrolled<Groups>([&](auto g) FUSEQ_LAMBDA {
                    sums[p * Groups + g] = _mm512_dpwssd_epi32(sums[p * Groups + g], x, w[g]);
                });
            });
        }
    }
    store_tile<Pixels, Groups>(call, first, sums);
}

using Tile = void (*)(const PairCall& call, std::size_t first);

template <std::size_t Groups, std::size_t... Pixels>
constexpr std::array<Tile, sizeof...(Pixels)> tiles(std::index_sequence<Pixels...>) {
    return {&sum_tile<Pixels + 1, Groups>...};
}

constexpr auto kOneGroup = tiles<1>(std::make_index_sequence<kMaxPixels>());
constexpr auto kTwoGroups = tiles<2>(std::make_index_sequence<kMaxPixels>());

template <class Way>
void join_results(const std::int32_t* tile,
                  std::size_t pixels,
                  std::size_t groups,
                  const std::int32_t* init,
                  const Results& results) {
    using Type = typename Way::Type;
    const std::size_t row = groups * kGroup;
    const std::size_t step = results.finish->channels();
    for (std::size_t g = 0; g < groups; ++g) {
        const std::size_t channel = results.channel + g * kGroup;
        const Constants constants = load_constants(*results.finish, channel);
        const __m512i offset = _mm512_loadu_si512(init + g * kGroup);
        const std::int32_t* low = tile + g * kGroup;
        const std::int32_t* high = low + pixels * row;
        Type* to = static_cast<Type*>(results.dst) + channel;
        for (std::size_t p = 0; p < pixels; ++p, low += row, high += row, to += step) {
            const __m512i upper = _mm512_slli_epi32(_mm512_load_si512(high), 8);
            const __m512i both = _mm512_add_epi32(_mm512_load_si512(low), upper);
            Way::store(_mm512_add_epi32(both, offset), constants, to);
        }
    }
}

}  // namespace

void join_results_vnni512(const std::int32_t* tile,
                          std::size_t pixels,
                          std::size_t groups,
                          const std::int32_t* init,
                          const Results& results) {
    with_store_of(*results.finish, [&](auto way) {
        join_results<decltype(way)>(tile, pixels, groups, init, results);
    });
}

void sum_pairs_vnni512(const PairCall& call) {
    const auto& functions = call.groups == 2 ? kTwoGroups : kOneGroup;
    const std::size_t count = (call.pixels + kMaxPixels - 1) / kMaxPixels;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t first = call.pixels * i / count;
        functions[call.pixels * (i + 1) / count - first - 1](call, first);
    }
}

}  // namespace fuseq::kernels::u16

FUSEQ_END_VNNI
