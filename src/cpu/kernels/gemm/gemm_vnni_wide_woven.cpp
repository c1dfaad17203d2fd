// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Wide tiles with a residual input (Join), which is added between the products of the tile after
// them. AMD's machines look ahead by less than the end of such a tile has instructions: with all of
// them in one place nothing, or little, is multiplied meanwhile. So the bytes of a tile go to
// memory and wait there for the next products. (Sums would be four times as many stores.)
#include "cpu/kernels/gemm/gemm_vnni_wide-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::gemm {
namespace {

constexpr std::size_t kVectors = kMaxWideVectors;
constexpr std::size_t kMaxPixels = 6;  // of a tile
constexpr std::size_t kMaxSegments = 64;

// Products that are added up before the next pixel is finished.
struct Segment {
    std::ptrdiff_t at = 0;    // of source, from the pixel
    std::size_t weights = 0;  // bytes
};

struct Segments {
    Segment list[kMaxSegments];
    std::size_t count = 0;
};

// At least one for each pixel. Some may be empty.
Segments segments_of(const WideCall& call) {
    Segments result;
    const std::size_t pieces = (kMaxPixels + call.taps.size() - 1) / call.taps.size();
    for (const std::ptrdiff_t tap : call.taps) {
        for (std::size_t i = 0; i < pieces; ++i) {
            const std::size_t begin = call.depth4 * i / pieces;
            const std::size_t end = call.depth4 * (i + 1) / pieces;
            result.list[result.count++] = {.at = tap + static_cast<std::ptrdiff_t>(4 * begin),
                                           .weights = (end - begin) * 64 * kVectors};
        }
    }
    return result;
}

// What a pixel needs: in memory, as no registers are left.
struct alignas(64) Constants {
    __m512i q_flip, r_flip, low, high, upper, lower, c, shift;
    __m512i limits;
    std::ptrdiff_t step = 0;
    bool q_signed = false;
    bool stores_signed = false;
};

Constants all_constants(const WideCall& call) {
    const JoinConstants join = constants_of(*call.join, call.join->q_unsigned);
    return {.q_flip = join.q_flip,
            .r_flip = join.r_flip,
            .low = join.low,
            .high = join.high,
            .upper = join.upper,
            .lower = join.lower,
            .c = join.c,
            .shift = join.shift,
            .limits = _mm512_load_si512(call.panel->limits),
            .step = call.dst_step,
            .q_signed = call.q_signed,
            .stores_signed = call.is_signed};
}

// Pixels of the tile before, as bytes in memory, that wait for the residual input.
struct Waiting {
    const std::uint8_t* bytes = nullptr;
    std::size_t count = 0;
    std::uint8_t* dst = nullptr;
    const std::uint8_t* residual = nullptr;
};

// Of 16 of the pairs, as joined_dwords().
FUSEQ_INLINE __m512i joined(const Constants& k, __m512i pairs, __m512i take, __m512i lower) {
    const __m512i lanes = _mm512_shuffle_epi8(pairs, take);
    const __m512i sum = _mm512_dpwssd_epi32(k.c, lanes, k.upper);
    return _mm512_srav_epi32(_mm512_dpbusd_epi32(sum, lower, lanes), k.shift);
}

FUSEQ_INLINE __m512i joined_pairs(const Constants& k, __m512i pairs, __m512i lower) {
    const __m512i first = joined(k, pairs, k.low, lower);
    return _mm512_packs_epi32(first, joined(k, pairs, k.high, lower));
}

// `constants` is looked at anew for each pixel: nothing of it may stay in registers.
FUSEQ_INLINE void store_joined(const Constants* constants, Waiting& pixel) {
    asm volatile("" : "+r"(constants));
    const Constants& k = *constants;
    const __m512i q = _mm512_load_si512(pixel.bytes);
    const __m512i r = _mm512_xor_si512(_mm512_loadu_si512(pixel.residual), k.r_flip);
    const __m512i lower = k.lower;
    const __m512i first = joined_pairs(k, _mm512_unpacklo_epi8(q, r), lower);
    const __m512i second = joined_pairs(k, _mm512_unpackhi_epi8(q, r), lower);
    _mm512_storeu_si512(pixel.dst, k.stores_signed ? _mm512_packs_epi16(first, second)
                                                   : _mm512_packus_epi16(first, second));
    pixel.bytes += 64;
    pixel.dst += k.step;
    pixel.residual += k.step;
    --pixel.count;
}

// The bytes of pixel M, which go into its join.
template <std::size_t M, std::size_t Count>
FUSEQ_INLINE void store_bytes(const Registers<__m512i, Count>& acc,
                              const Constants& k,
                              std::uint8_t* bytes) {
    const __m512i low = _mm512_packs_epi32(acc.v[M * kVectors], acc.v[M * kVectors + 1]);
    const __m512i high = _mm512_packs_epi32(acc.v[M * kVectors + 2], acc.v[M * kVectors + 3]);
    const __m512i q = k.q_signed ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
    _mm512_store_si512(bytes + 64 * M, _mm512_xor_si512(_mm512_min_epu8(q, k.limits), k.q_flip));
}

template <std::size_t Count, std::size_t... M>
FUSEQ_INLINE void store_all_bytes(const Registers<__m512i, Count>& acc,
                                  const Constants& k,
                                  std::uint8_t* bytes,
                                  std::index_sequence<M...>) {
    (store_bytes<M>(acc, k, bytes), ...);
}

struct Woven {
    const WideCall& call;
    const Constants* constants;
    const Segments& segments;
    std::uint8_t* bytes;
    const std::int8_t* ahead;
    Waiting waiting;
};

template <std::size_t Rows>
FUSEQ_INLINE void fetch_lines(const Waiting& pixels, std::ptrdiff_t step) {
    for (std::size_t i = 0; i < Rows; ++i) {
        const auto line = static_cast<std::ptrdiff_t>(i) * step;
        __builtin_prefetch(pixels.residual + line);
        __builtin_prefetch(pixels.dst + line, 1);
    }
}

template <std::size_t Rows>
FUSEQ_INLINE void add_segment(const WideCall& call,
                              Registers<__m512i, Rows * kVectors>& acc,
                              const std::uint8_t* first,
                              const std::int8_t*& wei,
                              const std::int8_t* end,
                              const std::int8_t*& ahead,
                              Steps& steps) {
    while (wei != end) {
        // As in the other micro-kernels: no registers for multiples of these.
        asm("" : "+r"(steps.one));
        Registers<__m512i, kVectors> b;
        unrolled<kVectors>([&](auto n) FUSEQ_LAMBDA { b[n] = _mm512_load_si512(wei + 64 * n()); });
        add_rows<kReach>(acc, first, first, steps, b, std::make_index_sequence<Rows>{});
        first += 4;
        _mm_prefetch(reinterpret_cast<const char*>(ahead), _MM_HINT_T1);
        ahead += call.ahead_step;
        wei += 64 * kVectors;
    }
}

// `tiles` tiles of `Rows` pixels from `pixel` on.
template <std::size_t Rows>
void woven_tiles(Woven& woven, std::size_t pixel, std::size_t tiles) {
    const WideCall& call = woven.call;
    const auto at = static_cast<std::ptrdiff_t>(pixel);
    const std::uint8_t* src = call.src + at * call.src_step;
    Waiting next{.bytes = woven.bytes,
                 .count = Rows,
                 .dst = call.dst + at * call.dst_step,
                 .residual = call.residual + at * call.dst_step};
    Waiting waiting = woven.waiting;
    const std::int8_t* ahead = woven.ahead;
    const std::ptrdiff_t step = call.src_step;
    Steps steps{step, 3 * step, 5 * step, 7 * step, 9 * step, 11 * step, 13 * step};
    for (std::size_t t = 0; t < tiles; ++t) {
        fetch_lines<Rows>(next, call.dst_step);
        Registers<__m512i, Rows * kVectors> acc;
        begin_wide<kVectors>(acc, *call.panel, std::make_index_sequence<Rows * kVectors>{});
        const std::int8_t* wei = call.wei;
        for (std::size_t s = 0; s < woven.segments.count; ++s) {
            const Segment& segment = woven.segments.list[s];
            add_segment<Rows>(call, acc, src + segment.at, wei, wei + segment.weights, ahead,
                              steps);
            if (waiting.count != 0) {
                store_joined(woven.constants, waiting);
            }
        }
        unrolled<kVectors>([&](auto n) FUSEQ_LAMBDA {
            finish_vector<kVectors, n(), WideJoin::kPlain>(*call.panel, nullptr, acc);
        });
        store_all_bytes(acc, *woven.constants, woven.bytes, std::make_index_sequence<Rows>{});
        waiting = next;
        next.dst += static_cast<std::ptrdiff_t>(Rows) * call.dst_step;
        next.residual += static_cast<std::ptrdiff_t>(Rows) * call.dst_step;
        src += static_cast<std::ptrdiff_t>(Rows) * step;
    }
    woven.waiting = waiting;
    woven.ahead = ahead;
}

using TilesFunction = void (*)(Woven& woven, std::size_t pixel, std::size_t tiles);
template <std::size_t... R>
TilesFunction tiles_function(std::size_t rows, std::index_sequence<R...>) {
    static constexpr TilesFunction kFunctions[] = {&woven_tiles<R + 1>...};
    return kFunctions[rows - 1];
}

bool can_weave(const WideCall& call) {
    return call.channels == 16 * kVectors && call.skip == 0 && !call.taps.empty() &&
           call.taps.size() <= kMaxSegments - kMaxPixels;
}

}  // namespace

void run_wide_woven(const WideCall& call) {
    if (!can_weave(call)) {
        return run_wide_joined_4(call);
    }
    const Constants constants = all_constants(call);
    const Segments segments = segments_of(call);
    alignas(64) std::uint8_t bytes[kMaxPixels * 64];
    Woven woven{.call = call,
                .constants = &constants,
                .segments = segments,
                .bytes = bytes,
                .ahead = call.ahead,
                .waiting = {}};
    // Tiles of two sizes.
    const std::size_t tiles = (call.pixels + kMaxPixels - 1) / kMaxPixels;
    const std::size_t larger = call.pixels % tiles;
    const std::size_t size = call.pixels / tiles;
    constexpr std::make_index_sequence<kMaxPixels> kSizes;
    if (larger != 0) {
        tiles_function(size + 1, kSizes)(woven, 0, larger);
    }
    tiles_function(size, kSizes)(woven, larger * (size + 1), tiles - larger);
    while (woven.waiting.count != 0) {
        store_joined(&constants, woven.waiting);
    }
}

}  // namespace fuseq::kernels::gemm

FUSEQ_END_VNNI
