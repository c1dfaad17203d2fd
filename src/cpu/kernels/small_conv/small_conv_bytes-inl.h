// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From the sums of a channel-vectorized tile to bytes, where nothing but scale and bias is
// between, and perhaps a relu and a shift: four vectors after the other, so that few registers are
// needed beside the sums. For small_conv_values-inl.h, inside of its region of AVX-512.
#pragma once

#include <algorithm>
#include <cstring>

#include <immintrin.h>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/unrolled-inl.h"
#include "cpu/kernels/small_conv/small_conv_detail.hpp"

namespace fuseq::kernels::small_conv {
namespace {

// A group of bytes, of four vectors of a tile, to where its pixels begin at dst.
template <std::size_t kPixels, std::size_t kVectors, std::size_t G>
FUSEQ_INLINE void store_group(std::byte* dst, __m512i bytes) {
    constexpr std::size_t kBytes = 4 * kLanes;
    constexpr std::size_t kLeft = kPixels * kVectors * kLanes - G * kBytes;
    if constexpr (kLeft >= kBytes) {
        _mm512_storeu_si512(dst + G * kBytes, bytes);
    } else if constexpr (kLeft == kBytes / 2) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst + G * kBytes),
                            _mm512_castsi512_si256(bytes));
    } else {
        _mm512_mask_storeu_epi8(dst + G * kBytes, ~0ull >> (kBytes - kLeft), bytes);
    }
}
// The same of a tile of which `count` pixels exist, of fewer channels: they lie one after the
// other in each group (Packed::order).
template <std::size_t kPixels, std::size_t kVectors, std::size_t G>
FUSEQ_INLINE void store_part(std::byte* dst,
                             __m512i bytes,
                             std::size_t channels,
                             std::size_t count) {
    constexpr std::size_t kOfGroup = 4 / kVectors;  // pixels
    constexpr std::size_t kFirst = G * kOfGroup;
    if (count > kFirst) {
        const std::size_t size = std::min(count - kFirst, kOfGroup) * channels;
        _mm512_mask_storeu_epi8(dst + kFirst * channels, ~0ull >> (4 * kLanes - size), bytes);
    }
}

// kAdds: floats are added after scale and bias.
template <std::size_t kPixels, std::size_t kVectors, bool kSigned, bool kAdds = false>
struct PlainBytes {
    static constexpr std::size_t kAll = kPixels * kVectors;
    static constexpr std::size_t kGroups = (kAll + 3) / 4;
    using Sums = Registers<__m512i, kAll>;
    using Constants = Registers<__m512, kVectors>;

    // `count` pixels that exist, of the channels of the shape. `of_windows`: their sums, or
    // nothing. `row_bytes`: from row to row, where ChannelVectorResult::rows. `added`: of the
    // tile's elements.
    static FUSEQ_INLINE void store(const Sums& sums,
                                   const Packed& packed,
                                   const float* of_windows,
                                   std::byte* dst,
                                   std::size_t count,
                                   std::size_t row_bytes,
                                   const float* added = nullptr) {
        Sums acc = sums;
        convert(acc, packed, of_windows, std::make_index_sequence<kVectors>{});
        if constexpr (kVectors == 2) {
            if (packed.results[0].rows) {
                store_rows(acc, packed, dst, count, row_bytes);
                return;
            }
        }
        store_groups(acc, packed, dst, count, added, std::make_index_sequence<kGroups>{});
    }

private:
    // Each vector of channels to a row of its own.
    static FUSEQ_INLINE void store_rows(const Sums& acc,
                                        const Packed& packed,
                                        std::byte* dst,
                                        std::size_t count,
                                        std::size_t row_bytes) {
        constexpr auto kOfRow = std::make_index_sequence<(kPixels + 3) / 4>{};
        if (count == kPixels) {
            store_row<0>(acc, packed, dst, kOfRow);
            store_row<1>(acc, packed, dst + row_bytes, kOfRow);
            return;
        }
        alignas(64) std::byte rest[kAll * kLanes];
        store_row<0>(acc, packed, rest, kOfRow);
        store_row<1>(acc, packed, rest + kPixels * kLanes, kOfRow);
        std::memcpy(dst, rest, count * kLanes);
        std::memcpy(dst + row_bytes, rest + kPixels * kLanes, count * kLanes);
    }
    template <std::size_t V, std::size_t... G>
    static FUSEQ_INLINE void store_row(const Sums& acc,
                                       const Packed& packed,
                                       std::byte* dst,
                                       std::index_sequence<G...>) {
        Constants scale;
        Constants bias;
        load(scale, packed.scale, std::make_index_sequence<kVectors>{});
        load(bias, packed.bias, std::make_index_sequence<kVectors>{});
        const __m512i order = _mm512_load_si512(packed.order);
        (store_group<kPixels, 1, G>(dst,
                                    group<4 * G * kVectors + V, kVectors>(acc, scale, bias, order)),
         ...);
    }

    // Sums to floats, but where they are floats (Packed::is_short).
    template <std::size_t... V>
    static FUSEQ_INLINE void convert(Sums& acc,
                                     const Packed& packed,
                                     const float* of_windows,
                                     std::index_sequence<V...>) {
        constexpr auto kEach = std::make_index_sequence<kPixels>{};
        (convert_vector<V>(acc, packed, kEach), ...);
        if (of_windows != nullptr) {
            (add_sums<V>(acc, _mm512_load_ps(packed.of_sum + V * kLanes), of_windows, kEach), ...);
        }
    }
    template <std::size_t V, std::size_t... P>
    static FUSEQ_INLINE void add_sums(Sums& acc,
                                      __m512 by,
                                      const float* of_windows,
                                      std::index_sequence<P...>) {
        ((acc.v[P * kVectors + V] = _mm512_castps_si512(_mm512_fmadd_ps(
              _mm512_set1_ps(of_windows[P]), by, _mm512_castsi512_ps(acc.v[P * kVectors + V])))),
         ...);
    }
    template <std::size_t V, std::size_t... P>
    static FUSEQ_INLINE void convert_vector(Sums& acc,
                                            const Packed& packed,
                                            std::index_sequence<P...>) {
        if (!packed.is_short[V]) {
            ((acc.v[P * kVectors + V] =
                  _mm512_castps_si512(_mm512_cvtepi32_ps(acc.v[P * kVectors + V]))),
             ...);
        }
    }

    template <std::size_t... G>
    static FUSEQ_INLINE void store_groups(const Sums& acc,
                                          const Packed& packed,
                                          std::byte* dst,
                                          std::size_t count,
                                          const float* added,
                                          std::index_sequence<G...>) {
        Constants scale;
        Constants bias;
        load(scale, packed.scale, std::make_index_sequence<kVectors>{});
        load(bias, packed.bias, std::make_index_sequence<kVectors>{});
        const __m512i order = _mm512_load_si512(packed.order);
        const std::size_t channels = packed.shape.dst_channels;
        if (count == kPixels && channels == kVectors * kLanes) {
            (store_group<kPixels, kVectors, G>(
                 dst, limited(group<4 * G, 1>(acc, scale, bias, order, added), packed)),
             ...);
        } else {
            (store_part<kPixels, kVectors, G>(
                 dst, limited(group<4 * G, 1>(acc, scale, bias, order, added), packed), channels,
                 count),
             ...);
        }
    }
    // No less than the bytes of a relu.
    static FUSEQ_INLINE __m512i limited(__m512i bytes, const Packed& packed) {
        if (!packed.has_min) {
            return bytes;
        }
        const __m512i min = _mm512_load_si512(packed.min);
        return kSigned ? _mm512_max_epi8(bytes, min) : _mm512_max_epu8(bytes, min);
    }
    template <std::size_t... V>
    static FUSEQ_INLINE void load(Constants& to, const float* from, std::index_sequence<V...>) {
        ((to.v[V] = _mm512_load_ps(from + V * kLanes)), ...);
    }
    // Vectors I, I + Step, .. Packs work within 128 bits: the k-th four channels of each of the
    // four vectors are together after them.
    template <std::size_t I, std::size_t Step>
    static FUSEQ_INLINE __m512i group(const Sums& acc,
                                      const Constants& scale,
                                      const Constants& bias,
                                      __m512i order,
                                      const float* added = nullptr) {
        const __m512i low = _mm512_packs_epi32(integers<I>(acc, scale, bias, added),
                                               integers<I + Step>(acc, scale, bias, added));
        const __m512i high = _mm512_packs_epi32(integers<I + 2 * Step>(acc, scale, bias, added),
                                                integers<I + 3 * Step>(acc, scale, bias, added));
        const __m512i bytes =
            kSigned ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
        return _mm512_permutexvar_epi32(order, bytes);
    }
    template <std::size_t I>
    static FUSEQ_INLINE __m512i
    integers(const Sums& acc, const Constants& scale, const Constants& bias, const float* added) {
        if constexpr (I >= kAll) {
            return _mm512_setzero_si512();
        } else {
            __m512 v = _mm512_fmadd_ps(_mm512_castsi512_ps(acc.v[I]), scale.v[I % kVectors],
                                       bias.v[I % kVectors]);
            if constexpr (kAdds) {
                // Above the integers of 32 bits the conversion gives the minimum.
                v = _mm512_min_ps(_mm512_add_ps(v, _mm512_loadu_ps(added + I * kLanes)),
                                  _mm512_set1_ps(255.0f));
            }
            return _mm512_cvtps_epi32(v);
        }
    }
};

}  // namespace
}  // namespace fuseq::kernels::small_conv
