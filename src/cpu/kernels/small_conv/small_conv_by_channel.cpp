// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The channel-vectorized form: for 16, 32 or 64 of them, or some fewer. An accumulator holds 16
// channels of a pixel; four bytes of its window, which are read where they lie and broadcast, meet
// a vector of weights. 24 or 28 accumulators stay in registers: 24 pixels by 16 channels, 14 by 32
// or 6 by 64. The distance of two windows is a constant of the code, so that one pointer reaches
// all of them.
//
// With one vector of channels a load would serve one product, and two loads a cycle keep no more
// than two products busy: where windows begin at whole groups of four bytes, a load serves the
// three windows that it belongs to (SharedProducts).
#include <algorithm>
#include <cstring>
#include <type_traits>

#include <immintrin.h>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni_target.hpp"
#include "cpu/kernels/small_conv/small_conv_detail.hpp"

#pragma GCC push_options
#pragma GCC target("bmi,bmi2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512vbmi")

#include "cpu/kernels/small_conv/small_conv_part-inl.h"
#include "cpu/kernels/small_conv/small_conv_sums-inl.h"
#include "cpu/kernels/small_conv/small_conv_values-inl.h"
#include "cpu/kernels/small_conv/small_conv_window_sums-inl.h"

namespace fuseq::kernels::small_conv {
namespace {

FUSEQ_INLINE __m512i broadcast(const std::uint8_t* from) {
    std::int32_t four = 0;
    std::memcpy(&four, from, sizeof(four));
    return _mm512_set1_epi32(four);
}

// ---- last bytes of rows
// -------------------------------------------------------------------------

// Of each pixel, four bytes a chunk. What is after the pixels belongs to none.
using Ends = std::int32_t[kMaxChannelVectorEnds][kMaxChannelVectorTile + 2 * kMaxTile];

void fill_ends(const Packed& packed, const Windows& windows, std::size_t count, Ends& ends) {
    const __m512i first = _mm512_loadu_si512(packed.index);  // byte 0 of each chunk counts
    const __m512i index = _mm512_shuffle_epi8(
        first,
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12)));
    const std::size_t offset = windows.chunks * kQuad;
    for (std::size_t e = 0; e < packed.ends; ++e) {
        const std::size_t rows = std::min(windows.kernel_rows - e * kQuad, kQuad);
        for (std::size_t x = 0; x < count; x += kLanes) {
            __m512i all = _mm512_setzero_si512();
            for (std::size_t j = 0; j < rows; ++j) {
                const std::uint8_t* at = windows.rows[e * kQuad + j] + x * windows.step + offset;
                const __mmask64 place = 0x1111111111111111ull << j;
                all = _mm512_or_si512(
                    all, _mm512_maskz_permutex2var_epi8(place, _mm512_loadu_si512(at), index,
                                                        _mm512_loadu_si512(at + 64)));
            }
            _mm512_storeu_si512(ends[e] + x, all);
        }
    }
}

// ---- tiles
// --------------------------------------------------------------------------------------

// Accumulators of kPixels by 16 * kVectors channels, whose windows are kStep bytes apart.
template <std::size_t kPixels, std::size_t kVectors, std::size_t kStep>
struct Products {
    static constexpr std::size_t kAll = kPixels * kVectors;
    using Integers = Registers<__m512i, kAll>;

    template <std::size_t... I>
    static FUSEQ_INLINE void begin(Integers& acc,
                                   const std::int32_t* init,
                                   std::index_sequence<I...>) {
        ((acc.v[I] = _mm512_load_si512(init + I % kVectors * kLanes)), ...);
    }

    template <std::size_t P, std::size_t... V>
    static FUSEQ_INLINE void add_pixel(Integers& acc,
                                       __m512i bytes,
                                       const Registers<__m512i, kVectors>& w,
                                       std::index_sequence<V...>) {
        (add_products(acc.v[P * kVectors + V], bytes, w.v[V]), ...);
    }

    // Four bytes of each window, which are so far apart.
    template <std::size_t kApart, std::size_t... P, std::size_t... V>
    static FUSEQ_INLINE void add(Integers& acc,
                                 const std::uint8_t* from,
                                 const std::int32_t* weights,
                                 std::index_sequence<P...>,
                                 std::index_sequence<V...> vectors) {
        Registers<__m512i, kVectors> w;
        ((w.v[V] = _mm512_load_si512(weights + V * kLanes)), ...);
        (add_pixel<P>(acc, broadcast(from + P * kApart), w, vectors), ...);
    }

    static FUSEQ_INLINE void run(Integers& acc,
                                 const Packed& packed,
                                 const Windows& windows,
                                 std::size_t at,
                                 const Ends& ends) {
        begin(acc, packed.init, std::make_index_sequence<kAll>{});
        windows.fetch_ahead(at * kStep, kPixels * kStep);
        const std::int32_t* weights = packed.weights.data();
        for (std::size_t y = 0; y < windows.kernel_rows; ++y) {
            const std::uint8_t* row = windows.rows[y] + at * kStep;
            const std::size_t* offset = windows.offsets;
            const std::size_t* const end = offset + windows.chunks;
            for (; offset != end; ++offset, weights += kVectors * kLanes) {
                add<kStep>(acc, row + *offset, weights, std::make_index_sequence<kPixels>{},
                           std::make_index_sequence<kVectors>{});
            }
        }
        for (std::size_t e = 0; e < packed.ends; ++e, weights += kVectors * kLanes) {
            const auto* four = reinterpret_cast<const std::uint8_t*>(ends[e] + at);
            add<kQuad>(acc, four, weights, std::make_index_sequence<kPixels>{},
                       std::make_index_sequence<kVectors>{});
        }
        leave_loops(acc, std::make_index_sequence<kAll>{});
    }

    // The code after the loops may need these registers. Sums that must go to memory for it go there
    // once, after the loops, and not in each turn.
    template <std::size_t... I>
    static FUSEQ_INLINE void leave_loops(Integers& acc, std::index_sequence<I...>) {
        ((acc.v[I] = Lanes<kPixels, kVectors>::in_register(acc.v[I])), ...);
    }
};

// With one vector of channels, of three neighbouring pixels, which are kStep bytes apart.
template <std::size_t kPixels, std::size_t kStep>
struct SharedProducts {
    using Integers = Registers<__m512i, kPixels>;
    static constexpr std::size_t kWidth = 3;
    static constexpr std::size_t kQuads = kStep / kQuad;  // of a pixel
    using Weights = Registers<__m512i, kWidth>;

    static FUSEQ_INLINE void run(Integers& acc,
                                 const Packed& packed,
                                 const Windows& windows,
                                 std::size_t at) {
        clear(acc, _mm512_load_si512(packed.init), std::make_index_sequence<kPixels>{});
        const std::int32_t* weights = packed.weights.data();
        for (std::size_t y = 0; y < windows.kernel_rows; ++y) {
            const std::uint8_t* row = windows.rows[y] + at * kStep;
            for (std::size_t q = 0; q < kQuads; ++q, row += kQuad, weights += kLanes) {
                const Weights k{_mm512_load_si512(weights),
                                _mm512_load_si512(weights + kQuads * kLanes),
                                _mm512_load_si512(weights + 2 * kQuads * kLanes)};
                add(acc, row, k, std::make_index_sequence<kPixels + kWidth - 1>{});
            }
            weights += (kWidth - 1) * kQuads * kLanes;
        }
        leave_loops(acc, std::make_index_sequence<kPixels>{});
    }

private:
    template <std::size_t... I>
    static FUSEQ_INLINE void clear(Integers& acc, __m512i init, std::index_sequence<I...>) {
        ((acc.v[I] = init), ...);
    }
    template <std::size_t... P>
    static FUSEQ_INLINE void add(Integers& acc,
                                 const std::uint8_t* row,
                                 const Weights& k,
                                 std::index_sequence<P...>) {
        (pixel<P>(acc, broadcast(row + P * kStep), k), ...);
    }
    // The pixel is the first one of window P, the second one of the window before, ...
    template <std::size_t P>
    static FUSEQ_INLINE void pixel(Integers& acc, __m512i four, const Weights& k) {
        if constexpr (P < kPixels) {
            add_products(acc.v[P], four, k.v[0]);
        }
        if constexpr (P >= 1 && P - 1 < kPixels) {
            add_products(acc.v[P - 1], four, k.v[1]);
        }
        if constexpr (P >= 2) {
            add_products(acc.v[P - 2], four, k.v[2]);
        }
    }
    template <std::size_t... I>
    static FUSEQ_INLINE void leave_loops(Integers& acc, std::index_sequence<I...>) {
        ((acc.v[I] = Lanes<kPixels, 1>::in_register(acc.v[I])), ...);
    }
};

template <std::size_t kPixels, std::size_t kVectors, std::size_t kStep, bool kShared>
FUSEQ_INLINE void products(Registers<__m512i, kPixels * kVectors>& acc,
                           const Packed& packed,
                           const Windows& windows,
                           std::size_t at,
                           const Ends& ends) {
    if constexpr (kShared) {
        SharedProducts<kPixels, kStep>::run(acc, packed, windows, at);
    } else {
        Products<kPixels, kVectors, kStep>::run(acc, packed, windows, at, ends);
    }
}

// The tile of the windows from pixel `at` on, to pixel `to` of the places and those after it.
template <std::size_t kPixels, std::size_t kVectors, std::size_t kStep, bool kShared>
void one_tile(const Packed& packed,
              const Windows& windows,
              std::size_t at,
              std::size_t to,
              const float* sums,
              const Ends& ends,
              std::size_t count,
              const ChannelVectorPlaces& places) {
    Registers<__m512i, kPixels * kVectors> acc;
    products<kPixels, kVectors, kStep, kShared>(acc, packed, windows, at, ends);
    Lanes<kPixels, kVectors>::finish(acc, packed, sums == nullptr ? nullptr : sums + at, to,
                                     std::min(count, kPixels), places);
}

// Of which perhaps only `left` pixels exist.
template <std::size_t kPixels, std::size_t kVectors, std::size_t kStep, bool kShared>
void tile_of(const Packed& packed,
             const Windows& windows,
             std::size_t at,
             const float* sums,
             const Ends& ends,
             std::size_t left,
             const ChannelVectorPlaces& places) {
    using Part = PartOfTile<kPixels, kVectors>;
    if (left >= kPixels || !Part::suits(packed)) {
        return one_tile<kPixels, kVectors, kStep, kShared>(packed, windows, at, at, sums, ends,
                                                           left, places);
    }
    const Part part(packed, at, left, places);
    one_tile<kPixels, kVectors, kStep, kShared>(packed, windows, at, 0, sums, ends, kPixels,
                                                part.whole());
    part.store();
}

template <std::size_t kVectors, std::size_t kStep, bool kShared>
void tiles(const Packed& packed,
           const Windows& windows,
           std::size_t count,
           const ChannelVectorPlaces& places) {
    constexpr std::size_t kLarge = channel_vector_tile_of(kVectors);
    constexpr std::size_t kMiddle = 16 / kVectors;
    constexpr std::size_t kSmall = std::min<std::size_t>(4, kMiddle / 2);
    alignas(64) float of_windows[kMaxChannelVectorTile + kLanes];
    const float* sums = nullptr;
    if (packed.sums) {
        sums_of(packed, windows, count, of_windows);
        sums = of_windows;
    }
    alignas(64) Ends ends;
    fill_ends(packed, windows, count, ends);
    for (std::size_t at = 0; at < count;) {
        const std::size_t left = count - at;
        if (left > kMiddle) {
            tile_of<kLarge, kVectors, kStep, kShared>(packed, windows, at, sums, ends, left,
                                                      places);
            at += kLarge;
        } else if (left > kSmall) {
            tile_of<kMiddle, kVectors, kStep, kShared>(packed, windows, at, sums, ends, left,
                                                       places);
            at += kMiddle;
        } else {
            tile_of<kSmall, kVectors, kStep, kShared>(packed, windows, at, sums, ends, left,
                                                      places);
            at += kSmall;
        }
    }
}

// By the bytes from one window to the next: has_step().
template <std::size_t kVectors>
void tiles(const Packed& packed,
           const Windows& windows,
           std::size_t count,
           const ChannelVectorPlaces& places) {
    if constexpr (kVectors == 2) {
        if (windows.step == 8) {
            return tiles<2, 8, false>(packed, windows, count, places);
        }
        if (windows.step == 16) {
            return tiles<2, 16, false>(packed, windows, count, places);
        }
    }
    windows.step == 3 ? tiles<kVectors, 3, false>(packed, windows, count, places)
                      : tiles<kVectors, 6, false>(packed, windows, count, places);
}

void shared_tiles(const Packed& packed,
                  const Windows& windows,
                  std::size_t count,
                  const ChannelVectorPlaces& places) {
    windows.step == 8 ? tiles<1, 8, true>(packed, windows, count, places)
                      : tiles<1, 16, true>(packed, windows, count, places);
}

// ---- maxima of 2 x 2 pixels
// ---------------------------------------------------------------------

// Of neighbouring pixels of a row of results.
template <std::size_t kPixels, std::size_t kVectors>
struct Maxima {
    static constexpr std::size_t kAll = kPixels / 2 * kVectors;
    using Sums = Registers<__m512i, kPixels * kVectors>;

    template <std::size_t... I>
    static FUSEQ_INLINE void of_pairs(Registers<__m512i, kAll>& to,
                                      const Sums& acc,
                                      std::index_sequence<I...>) {
        ((to.v[I] = _mm512_max_epi32(acc.v[left(I)], acc.v[left(I) + kVectors])), ...);
    }
    template <std::size_t... I>
    static FUSEQ_INLINE void store(__m512i* to,
                                   const Registers<__m512i, kAll>& maxima,
                                   std::index_sequence<I...>) {
        (_mm512_store_si512(to + I, maxima.v[I]), ...);
    }
    template <std::size_t... I>
    static FUSEQ_INLINE void with(Registers<__m512i, kAll>& maxima,
                                  const __m512i* others,
                                  std::index_sequence<I...>) {
        ((maxima.v[I] = _mm512_max_epi32(maxima.v[I], _mm512_load_si512(others + I))), ...);
    }

private:
    static constexpr std::size_t left(std::size_t i) {
        return i / kVectors * 2 * kVectors + i % kVectors;
    }
};

// The windows of two rows of results, and the last bytes of their rows.
struct TwoRows {
    Windows windows[2];
    Ends ends[2];
};

template <std::size_t kPixels, std::size_t kVectors, std::size_t kStep>
void pooled_tile(const Packed& packed,
                 const TwoRows& rows,
                 std::size_t at,
                 std::size_t count,
                 const ChannelVectorPlaces& places) {
    using M = Maxima<kPixels, kVectors>;
    constexpr auto kEach = std::make_index_sequence<M::kAll>{};
    alignas(64) __m512i first[M::kAll];
    Registers<__m512i, M::kAll> maxima;
    Registers<__m512i, kPixels * kVectors> acc;
    products<kPixels, kVectors, kStep, false>(acc, packed, rows.windows[0], at, rows.ends[0]);
    M::of_pairs(maxima, acc, kEach);
    M::store(first, maxima, kEach);
    products<kPixels, kVectors, kStep, false>(acc, packed, rows.windows[1], at, rows.ends[1]);
    M::of_pairs(maxima, acc, kEach);
    M::with(maxima, first, kEach);
    Lanes<kPixels / 2, kVectors>::finish(maxima, packed, nullptr, at / 2,
                                         std::min(count, kPixels) / 2, places);
}

template <std::size_t kVectors, std::size_t kStep>
void pooled_tiles(const Packed& packed,
                  const TwoRows& rows,
                  std::size_t count,
                  const ChannelVectorPlaces& places) {
    constexpr std::size_t kLarge = channel_vector_tile_of(kVectors);
    constexpr std::size_t kSmall = 8;
    for (std::size_t at = 0; at < count;) {
        const std::size_t left = count - at;
        if (left > kSmall) {
            pooled_tile<kLarge, kVectors, kStep>(packed, rows, at, left, places);
            at += kLarge;
        } else {
            pooled_tile<kSmall, kVectors, kStep>(packed, rows, at, left, places);
            at += kSmall;
        }
    }
}

// `windows`: of two rows of results, with all their rows. An even number of pixels.
void run_pooled_lanes(const Packed& packed,
                      const Windows& windows,
                      std::size_t count,
                      const ChannelVectorPlaces& places) {
    alignas(64) TwoRows rows;
    for (std::size_t r = 0; r < 2; ++r) {
        Windows& one = rows.windows[r];
        one = windows;
        one.kernel_rows = packed.shape.kernel_height;
        std::copy_n(windows.rows + r * packed.shape.stride_height, one.kernel_rows, one.rows);
        fill_ends(packed, one, count, rows.ends[r]);
    }
    if (packed.vectors == 1) {
        return pooled_tiles<1, 3>(packed, rows, count, places);
    }
    windows.step == 3 ? pooled_tiles<2, 3>(packed, rows, count, places)
                      : pooled_tiles<2, 16>(packed, rows, count, places);
}

}  // namespace

void run_channel_vectors(const Packed& packed,
                         const Windows& windows,
                         std::size_t count,
                         const ChannelVectorPlaces& places) {
    if (packed.pool) {
        return run_pooled_lanes(packed, windows, count, places);
    }
    if (packed.shared) {
        return shared_tiles(packed, windows, count, places);
    }
    switch (packed.vectors) {
        case 1: return tiles<1>(packed, windows, count, places);
        case 2: return tiles<2>(packed, windows, count, places);
        default: return tiles<4>(packed, windows, count, places);
    }
}

}  // namespace fuseq::kernels::small_conv

#pragma GCC pop_options
