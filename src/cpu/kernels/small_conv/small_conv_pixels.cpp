// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Four or eight output channels of windows that are 16 bytes apart: 64 bytes hold four pixels, of
// which four lanes each hold parts of a sum. Adding the lanes of four channels at a time leaves the
// values in the order of memory, pixel after pixel, so that what follows runs on them in registers,
// as in the channel-vectorized form, and other tensors are read as they lie.
#include <algorithm>
#include <cstring>

#include <immintrin.h>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni_target.hpp"
#include "cpu/kernels/small_conv/small_conv_detail.hpp"

#pragma GCC push_options
#pragma GCC target("bmi,bmi2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512vbmi")

#include "cpu/kernels/small_conv/small_conv_sums-inl.h"
#include "cpu/kernels/small_conv/small_conv_values-inl.h"

namespace fuseq::kernels::small_conv {
namespace {

constexpr std::size_t kParts = 4;    // lanes of a pixel
constexpr std::size_t kResults = 4;  // vectors of values
constexpr std::size_t kPixelBytes = kParts * kQuad;

// Four vectors of values: all channels of 16 pixels of four channels, or of 8 of eight. kSums:
// 1 where weights have zero points, else 0. Accumulators are passed by folds over their
// numbers, or the compiler keeps them in memory.
template <std::size_t kChannels, std::size_t kSums>
struct PixelBlock {
    static constexpr std::size_t kPixels = kResults * kLanes / kChannels;
    static constexpr std::size_t kVectors = kPixels / kParts;  // of the source
    static constexpr std::size_t kRows = kChannels + kSums;
    using Floats = Registers<__m512, kResults>;
    // Of channel c those of all source vectors, one after the other; then the sums.
    using Integers = Registers<__m512i, kRows * kVectors>;

    template <std::size_t... I>
    static FUSEQ_INLINE void clear(Integers& acc,
                                   const std::int32_t* init,
                                   std::index_sequence<I...>) {
        ((acc.v[I] = _mm512_maskz_set1_epi32(0x1111, init[I / kVectors])), ...);
    }

    static FUSEQ_INLINE __m512i load(const std::uint8_t* at, std::size_t v) {
        return _mm512_loadu_si512(at + v * kParts * kPixelBytes);
    }

    static FUSEQ_INLINE __m512i broadcast(const std::int32_t* weights) {
        return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(weights)));
    }

    template <std::size_t... C>
    static FUSEQ_INLINE void add(Integers& acc,
                                 const std::uint8_t* at,
                                 const std::int32_t* weights,
                                 std::index_sequence<C...>) {
        Registers<__m512i, kVectors> bytes;
        unrolled<kVectors>([&](auto v) { bytes.v[v] = load(at, v); });
        (add_channel<C>(acc, bytes, broadcast(weights + C * kParts),
                        std::make_index_sequence<kVectors>{}),
         ...);
    }
    template <std::size_t kChannel, std::size_t... V>
    static FUSEQ_INLINE void add_channel(Integers& acc,
                                         const Registers<__m512i, kVectors>& bytes,
                                         __m512i weights,
                                         std::index_sequence<V...>) {
        (add_products(acc.v[kChannel * kVectors + V], bytes.v[V], weights), ...);
    }

    static FUSEQ_INLINE void run(Integers& acc,
                                 const Packed& packed,
                                 const Windows& windows,
                                 std::size_t at) {
        clear(acc, packed.init, std::make_index_sequence<kRows * kVectors>{});
        windows.fetch_ahead(at * kPixelBytes, kPixels * kPixelBytes);
        const std::int32_t* weights = packed.weights.data();
        for (std::size_t y = 0; y < windows.kernel_rows; ++y) {
            const std::uint8_t* row = windows.rows[y] + at * kPixelBytes;
            for (std::size_t q = 0; q < windows.chunks; ++q, weights += kRows * kParts) {
                add(acc, row + windows.offsets[q], weights, std::make_index_sequence<kRows>{});
            }
        }
        leave_loops(acc, std::make_index_sequence<kRows * kVectors>{});
    }
    template <std::size_t... I>
    static FUSEQ_INLINE void leave_loops(Integers& acc, std::index_sequence<I...>) {
        ((acc.v[I] = Lanes<kResults, 1>::in_register(acc.v[I])), ...);
    }

    // Channels kFirst to kFirst + 3 of the four pixels of a vector, 128 bits each.
    template <std::size_t kFirst, std::size_t kVector>
    static FUSEQ_INLINE __m512i four(const Integers& acc) {
        const __m512i parts[] = {
            acc.v[kFirst * kVectors + kVector], acc.v[(kFirst + 1) * kVectors + kVector],
            acc.v[(kFirst + 2) * kVectors + kVector], acc.v[(kFirst + 3) * kVectors + kVector]};
        return add_partials<kParts>(parts);
    }
    // The sums of these pixels in all lanes of each.
    template <std::size_t kVector>
    static FUSEQ_INLINE __m512 sums(const Integers& acc) {
        if constexpr (kSums == 0) {
            return _mm512_setzero_ps();
        } else {
            const __m512i sum = acc.v[kChannels * kVectors + kVector];
            const __m512i pairs =
                _mm512_add_epi32(sum, _mm512_shuffle_epi32(sum, _MM_PERM_ENUM(0x4E)));
            return _mm512_cvtepi32_ps(
                _mm512_add_epi32(pairs, _mm512_shuffle_epi32(pairs, _MM_PERM_ENUM(0xB1))));
        }
    }

    // Pixel after pixel.
    template <std::size_t... V>
    static FUSEQ_INLINE void values(const Integers& acc,
                                    const Packed& packed,
                                    Floats& x,
                                    std::index_sequence<V...>) {
        (values_of<V>(acc, packed, x), ...);
    }
    template <std::size_t kVector>
    static FUSEQ_INLINE void values_of(const Integers& acc, const Packed& packed, Floats& x) {
        const __m512 sum = sums<kVector>(acc);
        if constexpr (kChannels == 4) {
            x.v[kVector] = value(four<0, kVector>(acc), sum, packed);
        } else {
            const __m512i first = four<0, kVector>(acc);
            const __m512i last = four<4, kVector>(acc);
            const __m512i low =
                _mm512_permutex2var_epi64(first, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), last);
            const __m512i high = _mm512_permutex2var_epi64(
                first, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), last);
            x.v[2 * kVector] = value(low, _mm512_shuffle_f32x4(sum, sum, 0x50), packed);
            x.v[2 * kVector + 1] = value(high, _mm512_shuffle_f32x4(sum, sum, 0xFA), packed);
        }
    }

    static FUSEQ_INLINE __m512 value(__m512i acc, __m512 sum, const Packed& packed) {
        __m512 x = _mm512_cvtepi32_ps(acc);
        if constexpr (kSums != 0) {
            x = _mm512_fmadd_ps(sum, _mm512_load_ps(packed.of_sum), x);
        }
        return _mm512_fmadd_ps(x, _mm512_load_ps(packed.scale), _mm512_load_ps(packed.bias));
    }
};

// What follows, on `count` pixels that begin `first` after the places. One after the other,
// four vectors of channels are what the channel-vectorized functions work on.
template <std::size_t kChannels>
FUSEQ_INLINE void finish(Registers<__m512, kResults>& x,
                         const Packed& packed,
                         std::size_t first,
                         std::size_t count,
                         const ChannelVectorPlaces& places) {
    using Values = Lanes<kResults, 1>;
    constexpr std::size_t kPixels = kResults * kLanes / kChannels;
    alignas(64) std::byte rest[kResults * kLanes * sizeof(float)];
    Values::in_registers(x, std::make_index_sequence<kResults>{});
    for (const ChannelVectorOp& op : packed.ops) {
        const std::size_t pixel = kChannels * op.element;
        const std::byte* source = places.binary_sources[op.binary_source] + first * pixel;
        if (count < kPixels && op.kind == ChannelVectorOp::Kind::kAdd) {
            std::memcpy(rest, source, count * pixel);
            source = rest;
        }
        Values::apply(x, op, {source, kLanes, kResults}, std::make_index_sequence<kResults>{});
    }
    for (std::size_t r = 0; r < packed.results.size(); ++r) {
        const ChannelVectorResult& result = packed.results[r];
        const std::size_t pixel = kChannels * result.element;
        std::byte* const dst = places.dst[r] + first * pixel;
        Values::store(x, result, _mm512_load_si512(packed.order), count < kPixels ? rest : dst, 0,
                      kLanes, kResults);
        if (count < kPixels) {
            std::memcpy(dst, rest, count * pixel);
        }
    }
}

template <std::size_t kChannels, std::size_t kSums>
void tiles(const Packed& packed,
           const Windows& windows,
           std::size_t count,
           const ChannelVectorPlaces& places) {
    using Block = PixelBlock<kChannels, kSums>;
    for (std::size_t at = 0; at < count; at += Block::kPixels) {
        typename Block::Integers acc;
        Block::run(acc, packed, windows, at);
        Registers<__m512, kResults> x;
        Block::values(acc, packed, x, std::make_index_sequence<Block::kVectors>{});
        finish<kChannels>(x, packed, at, std::min(Block::kPixels, count - at), places);
    }
}

}  // namespace

void run_pixels(const Packed& packed,
                const Windows& windows,
                std::size_t count,
                const ChannelVectorPlaces& places) {
    if (packed.shape.dst_channels == 4) {
        packed.sums ? tiles<4, 1>(packed, windows, count, places)
                    : tiles<4, 0>(packed, windows, count, places);
    } else {
        packed.sums ? tiles<8, 1>(packed, windows, count, places)
                    : tiles<8, 0>(packed, windows, count, places);
    }
}

}  // namespace fuseq::kernels::small_conv

#pragma GCC pop_options
