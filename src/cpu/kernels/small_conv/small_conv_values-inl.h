// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From the sums of a channel-vectorized tile to what is stored: all operations of the chain on
// all values, which stay in registers. For small_conv_by_channel.cpp, inside of its region of
// AVX-512.
#pragma once

#include <algorithm>
#include <cstring>

#include <immintrin.h>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/rule_form-inl.h"
#include "cpu/kernels/common/unrolled-inl.h"
#include "cpu/kernels/small_conv/small_conv_bytes-inl.h"
#include "cpu/kernels/small_conv/small_conv_detail.hpp"

namespace fuseq::kernels::small_conv {
namespace {

// Values, pixel after pixel, as they lie in memory. They are passed from function to function
// by folds over their numbers: the compiler must see soon that nobody needs their addresses, or
// it keeps them in memory.
template <std::size_t kPixels, std::size_t kVectors>
struct Lanes {
    static constexpr std::size_t kAll = kPixels * kVectors;
    static constexpr std::size_t kChannels = kVectors * kLanes;
    using Floats = Registers<__m512, kAll>;
    using Integers = Registers<__m512i, kAll>;
    // Where the tile begins in another tensor, the channels of that and the pixels that exist.
    struct BinarySource {
        const std::byte* from;
        std::size_t channels;
        std::size_t count;
    };

    static FUSEQ_INLINE __m512 at(const float* constants, std::size_t i) {
        return _mm512_load_ps(constants + i % kVectors * kLanes);
    }

    // `sums`: of the windows, or nothing.
    template <std::size_t... I>
    static FUSEQ_INLINE void begin(Floats& x,
                                   const Integers& acc,
                                   const Packed& packed,
                                   const float* sums,
                                   std::index_sequence<I...> all) {
        if (packed.floors) {
            ((x.v[I] = floor_of(acc.v[I], packed, I)), ...);
            return in_registers(x, all);
        }
        ((x.v[I] = _mm512_cvtepi32_ps(acc.v[I])), ...);
        if (sums != nullptr) {
            ((x.v[I] = _mm512_fmadd_ps(_mm512_set1_ps(sums[I / kVectors]), at(packed.of_sum, I),
                                       x.v[I])),
             ...);
        }
        ((x.v[I] = _mm512_fmadd_ps(x.v[I], at(packed.scale, I), at(packed.bias, I))), ...);
        in_registers(x, all);
    }

    static FUSEQ_INLINE __m512 floor_of(__m512i sum, const Packed& packed, std::size_t i) {
        const __m512 bias = bias_of(sum, at(packed.bias, i), at(packed.below, i));
        const __m512 value = value_of_floor(sum, at(packed.scale, i), at(packed.rest, i), bias);
        return _mm512_roundscale_ps(value, kDown);
    }

    // Keeps the compiler from moving what follows, which needs addresses, before it.
    template <std::size_t... I>
    static FUSEQ_INLINE void in_registers(Floats& x, std::index_sequence<I...>) {
        ((x.v[I] = in_register(x.v[I])), ...);
    }
    template <class V>
    static FUSEQ_INLINE V in_register(V v) {
#if FUSEQ_VECTOR_ASM
        asm volatile("" : "+v"(v));
#endif
        return v;
    }

    template <std::size_t... I>
    static FUSEQ_INLINE void apply(Floats& x,
                                   const ChannelVectorOp& op,
                                   const BinarySource& source,
                                   std::index_sequence<I...> all) {
        switch (op.kind) {
            case ChannelVectorOp::Kind::kScale:
                ((x.v[I] = _mm512_mul_ps(x.v[I], at(op.a, I))), ...);
                break;
            case ChannelVectorOp::Kind::kShift:
                ((x.v[I] = _mm512_add_ps(x.v[I], at(op.a, I))), ...);
                break;
            case ChannelVectorOp::Kind::kRound: ((x.v[I] = round(x.v[I])), ...); break;
            case ChannelVectorOp::Kind::kMax:
                ((x.v[I] = _mm512_max_ps(x.v[I], at(op.a, I))), ...);
                break;
            case ChannelVectorOp::Kind::kMin:
                ((x.v[I] = _mm512_min_ps(x.v[I], at(op.a, I))), ...);
                break;
            case ChannelVectorOp::Kind::kSlope:
                ((x.v[I] = sloped(x.v[I], at(op.a, I))), ...);
                break;
            case ChannelVectorOp::Kind::kAdd: add(x, op, source, all); break;
        }
        in_registers(x, all);
    }

    static FUSEQ_INLINE __m512 round(__m512 v) {
        return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    }
    static FUSEQ_INLINE __m512 sloped(__m512 v, __m512 slope) {
        const __mmask16 positive = _mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_GT_OQ);
        return _mm512_mask_blend_ps(positive, _mm512_mul_ps(slope, v), v);
    }

    // t = (element - zero_point) * scale
    template <std::size_t... I>
    static FUSEQ_INLINE void add(Floats& x,
                                 const ChannelVectorOp& op,
                                 const BinarySource& source,
                                 std::index_sequence<I...>) {
        const __m512 zero = _mm512_set1_ps(op.zero_point);
        const __m512 scale = _mm512_set1_ps(op.scale);
        const std::byte* from = source.from;
        const bool is_whole = source.count >= kPixels && source.channels >= kChannels;
        if (is_whole && op.is_plain()) {
            ((x.v[I] = _mm512_add_ps(x.v[I], _mm512_loadu_ps(from + I * 4 * kLanes))), ...);
        } else if (!is_whole) {
            ((x.v[I] = plus(x.v[I], some<I>(op, source), zero, scale)), ...);
        } else if (op.element != 1) {
            ((x.v[I] = plus(x.v[I], _mm512_loadu_ps(from + I * 4 * kLanes), zero, scale)), ...);
        } else if (op.is_signed) {
            ((x.v[I] = plus(x.v[I], of(_mm512_cvtepi8_epi32(sixteen(from, I))), zero, scale)), ...);
        } else {
            ((x.v[I] = plus(x.v[I], of(_mm512_cvtepu8_epi32(sixteen(from, I))), zero, scale)), ...);
        }
    }
    // Where pixels may not exist, or have fewer channels.
    template <std::size_t I>
    static FUSEQ_INLINE __m512 some(const ChannelVectorOp& op, const BinarySource& source) {
        const __mmask16 mask = mask_of<I>(source.channels, source.count);
        const std::size_t place = I / kVectors * source.channels + I % kVectors * kLanes;
        const std::byte* from = source.from + place * op.element;
        if (op.element != 1) {
            return _mm512_maskz_loadu_ps(mask, from);
        }
        const __m128i bytes = _mm_maskz_loadu_epi8(mask, from);
        return of(op.is_signed ? _mm512_cvtepi8_epi32(bytes) : _mm512_cvtepu8_epi32(bytes));
    }
    // The channels of vector I that exist.
    template <std::size_t I>
    static FUSEQ_INLINE __mmask16 mask_of(std::size_t channels, std::size_t count) {
        constexpr std::size_t kFirst = I % kVectors * kLanes;
        if (I / kVectors >= count || channels <= kFirst) {
            return 0;
        }
        return static_cast<__mmask16>(0xffffu >> (kLanes - std::min(channels - kFirst, kLanes)));
    }
    static FUSEQ_INLINE __m512 plus(__m512 v, __m512 t, __m512 zero_point, __m512 scale) {
        return _mm512_add_ps(v, _mm512_mul_ps(_mm512_sub_ps(t, zero_point), scale));
    }
    static FUSEQ_INLINE __m512 of(__m512i v) {
        return _mm512_cvtepi32_ps(v);
    }
    static FUSEQ_INLINE __m128i sixteen(const std::byte* from, std::size_t i) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * kLanes));
    }

    // One after the other.
    template <std::size_t... I>
    static FUSEQ_INLINE void store_floats(const Floats& x,
                                          std::byte* dst,
                                          std::size_t channels,
                                          std::size_t count,
                                          std::index_sequence<I...>) {
        if (count == kPixels && channels == kChannels) {
            (_mm512_storeu_ps(dst + I * kLanes * sizeof(float), x.v[I]), ...);
            return;
        }
        (_mm512_mask_storeu_ps(
             dst + (I / kVectors * channels + I % kVectors * kLanes) * sizeof(float),
             mask_of<I>(channels, count), x.v[I]),
         ...);
    }
    template <std::size_t... G>
    static FUSEQ_INLINE void store_bytes(const Floats& x,
                                         const ChannelVectorResult& result,
                                         __m512i order,
                                         std::byte* dst,
                                         std::size_t channels,
                                         std::size_t count,
                                         std::index_sequence<G...>) {
        if (count == kPixels && channels == kChannels) {
            (store_group<kPixels, kVectors, G>(dst, four<G * 4, 1>(x, result, order)), ...);
        } else {
            (store_part<kPixels, kVectors, G>(dst, four<G * 4, 1>(x, result, order), channels,
                                              count),
             ...);
        }
    }

    // Each vector of channels to a row of its own: a group is four pixels of one of them.
    template <std::size_t... G>
    static FUSEQ_INLINE void store_rows(const Floats& x,
                                        const ChannelVectorResult& result,
                                        std::byte* dst,
                                        __m512i order,
                                        std::size_t row_bytes,
                                        std::index_sequence<G...>) {
        constexpr std::size_t kGroups = (kPixels + 3) / 4;  // of a row
        (store_group<kPixels, 1, G % kGroups>(
             dst + G / kGroups * row_bytes,
             four<G % kGroups * 4 * kVectors + G / kGroups, kVectors>(x, result, order)),
         ...);
    }
    // Vectors I, I + Step, .. as bytes: rounded half to even, saturated.
    template <std::size_t I, std::size_t Step>
    static FUSEQ_INLINE __m512i four(const Floats& x,
                                     const ChannelVectorResult& result,
                                     __m512i order) {
        const __m512i low =
            _mm512_packs_epi32(integers<I>(x, result), integers<I + Step>(x, result));
        const __m512i high = _mm512_packs_epi32(integers<I + 2 * Step>(x, result),
                                                integers<I + 3 * Step>(x, result));
        const __m512i bytes =
            result.is_signed ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
        return _mm512_permutexvar_epi32(order, bytes);
    }
    template <std::size_t I>
    static FUSEQ_INLINE __m512i integers(const Floats& x, const ChannelVectorResult& result) {
        if constexpr (I >= kAll) {
            return _mm512_setzero_si512();
        } else {
            __m512 y = x.v[I];
            if (result.scaled) {
                y = _mm512_mul_ps(y, at(result.scale, I));
            }
            if (result.shifted) {
                y = _mm512_add_ps(y, at(result.shift, I));
            }
            // Above the integers of 32 bits the conversion gives the minimum.
            return _mm512_cvtps_epi32(_mm512_min_ps(y, _mm512_set1_ps(255.0f)));
        }
    }

    static FUSEQ_INLINE void store(const Floats& x,
                                   const ChannelVectorResult& result,
                                   __m512i order,
                                   std::byte* dst,
                                   std::size_t row_bytes,
                                   std::size_t channels,
                                   std::size_t count) {
        if constexpr (kVectors == 2) {
            if (result.rows) {
                alignas(64) std::byte rest[kAll * kLanes];
                std::byte* const to = count == kPixels ? dst : rest;
                const std::size_t row = count == kPixels ? row_bytes : kPixels * kLanes;
                store_rows(x, result, to, order, row,
                           std::make_index_sequence<(kPixels + 3) / 4 * kVectors>{});
                for (std::size_t v = 0; v < kVectors && count < kPixels; ++v) {
                    std::memcpy(dst + v * row_bytes, rest + v * row, count * kLanes);
                }
                return;
            }
        }
        if (result.element == 1) {
            store_bytes(x, result, order, dst, channels, count,
                        std::make_index_sequence<(kAll + 3) / 4>{});
        } else {
            store_floats(x, dst, channels, count, std::make_index_sequence<kAll>{});
        }
    }

    // What follows the products of a tile that begins `first` pixels after the places and has
    // `count` pixels that exist.
    static FUSEQ_INLINE void finish(const Integers& acc,
                                    const Packed& packed,
                                    const float* sums,
                                    std::size_t first,
                                    std::size_t count,
                                    const ChannelVectorPlaces& places) {
        constexpr auto kEach = std::make_index_sequence<kAll>{};
        const std::size_t channels = packed.shape.dst_channels;
        if (packed.plain_bytes) {
            const std::size_t pixel = packed.results[0].rows ? kLanes : channels;
            std::byte* dst = places.dst[0] + first * pixel;
            packed.results[0].is_signed ? PlainBytes<kPixels, kVectors, true>::store(
                                              acc, packed, sums, dst, count, places.row_bytes)
                                        : PlainBytes<kPixels, kVectors, false>::store(
                                              acc, packed, sums, dst, count, places.row_bytes);
            return;
        }
        if (packed.added_bytes && count == kPixels) {
            const std::byte* source = places.binary_sources[packed.ops[0].binary_source];
            const float* added = reinterpret_cast<const float*>(source) + first * channels;
            std::byte* dst = places.dst[0] + first * channels;
            packed.results[0].is_signed ? PlainBytes<kPixels, kVectors, true, true>::store(
                                              acc, packed, sums, dst, count, 0, added)
                                        : PlainBytes<kPixels, kVectors, false, true>::store(
                                              acc, packed, sums, dst, count, 0, added);
            return;
        }
        Floats x;
        begin(x, acc, packed, sums, kEach);
        for (const ChannelVectorOp& op : packed.ops) {
            const std::byte* from =
                places.binary_sources[op.binary_source] + first * channels * op.element;
            apply(x, op, {from, channels, count}, kEach);
        }
        for (std::size_t r = 0; r < packed.results.size(); ++r) {
            const ChannelVectorResult& result = packed.results[r];
            const std::size_t pixel = result.rows ? kLanes : channels * result.element;
            store(x, result, _mm512_load_si512(packed.order), places.dst[r] + first * pixel,
                  places.row_bytes, channels, count);
        }
    }
};

}  // namespace
}  // namespace fuseq::kernels::small_conv
