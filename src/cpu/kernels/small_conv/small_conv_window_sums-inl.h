// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The sums of windows, where weights have zero points, in the channel-vectorized form. For
// small_conv_by_channel.cpp, inside of its region of AVX-512.
#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

#include "cpu/kernels/common/vnni_products-inl.h"
#include "cpu/kernels/small_conv/small_conv_detail.hpp"
#include "cpu/kernels/small_conv/small_conv_sums-inl.h"

namespace fuseq::kernels::small_conv {
namespace {

// Pixels of four, eight or sixteen bytes that are neighbours: the rows of a window are added
// first, then the lanes of a pixel, then neighbouring pixels.
template <std::size_t kPartials>
void sums_of_chunks(const Packed& packed, const Windows& windows, std::size_t count, float* sums) {
    constexpr std::size_t kPixels = kLanes / kPartials;  // of a vector
    const std::size_t kernel_width = packed.shape.kernel_width;
    const __m512i ones = _mm512_set1_epi8(1);
    const __m512i order = _mm512_loadu_si512(packed.lane_of_pixel);
    alignas(64) std::int32_t of_pixel[kMaxChannelVectorTile + kMaxChannelVectorKernel + 2 * kLanes];
    for (std::size_t x = 0; x < count + kernel_width - 1; x += kLanes) {
        __m512i parts[kPartials];
        for (std::size_t v = 0; v < kPartials; ++v) {
            parts[v] = _mm512_setzero_si512();
            for (std::size_t y = 0; y < windows.kernel_rows; ++y) {
                const std::uint8_t* at = windows.rows[y] + (x + v * kPixels) * kPartials * kQuad;
                add_products(parts[v], _mm512_loadu_si512(at), ones);
            }
        }
        const __m512i all = _mm512_permutexvar_epi32(order, add_partials<kPartials>(parts));
        _mm512_store_si512(of_pixel + x, all);
    }
    const __m512i init = _mm512_set1_epi32(packed.init[packed.shape.dst_channels]);
    for (std::size_t x = 0; x < count; x += kLanes) {
        __m512i sum = init;
        for (std::size_t k = 0; k < kernel_width; ++k) {
            sum = _mm512_add_epi32(sum, _mm512_loadu_si512(of_pixel + x + k));
        }
        _mm512_store_ps(sums + x, _mm512_cvtepi32_ps(sum));
    }
}

// Pixels of three bytes, one or two from window to window: the bytes and rows of a pixel are
// added first, then neighbouring pixels; with a stride of two even and odd ones apart.
template <std::size_t kStride>
void sums_of_triples(const Packed& packed, const Windows& windows, std::size_t count, float* sums) {
    constexpr std::size_t kBytes = 3;
    constexpr std::size_t kMax = kMaxChannelVectorTile + kMaxChannelVectorKernel + 2 * kLanes;
    const std::size_t kernel_width = packed.shape.kernel_width;
    const __m512i ones = _mm512_set1_epi32(0x010101);
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i first = _mm512_mullo_epi32(lane, _mm512_set1_epi32(kBytes));
    const __m512i index = _mm512_add_epi32(_mm512_mullo_epi32(first, _mm512_set1_epi32(0x01010101)),
                                           _mm512_set1_epi32(0x03020100));
    const __m512i even = _mm512_add_epi32(lane, lane);
    alignas(64) std::int32_t of_pixel[kStride][kMax];
    const std::size_t pixels = count + (kernel_width - 1) / kStride;  // of each kind
    for (std::size_t x = 0; x < pixels; x += kLanes) {
        __m512i parts[kStride];
        for (std::size_t v = 0; v < kStride; ++v) {
            parts[v] = _mm512_setzero_si512();
            for (std::size_t y = 0; y < windows.kernel_rows; ++y) {
                const std::uint8_t* at = windows.rows[y] + (x * kStride + v * kLanes) * kBytes;
                add_products(parts[v], _mm512_permutexvar_epi8(index, _mm512_loadu_si512(at)),
                             ones);
            }
        }
        if constexpr (kStride == 1) {
            _mm512_store_si512(of_pixel[0] + x, parts[0]);
        } else {
            const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
            _mm512_store_si512(of_pixel[0] + x,
                               _mm512_permutex2var_epi32(parts[0], even, parts[1]));
            _mm512_store_si512(of_pixel[1] + x, _mm512_permutex2var_epi32(parts[0], odd, parts[1]));
        }
    }
    const __m512i init = _mm512_set1_epi32(packed.init[packed.shape.dst_channels]);
    for (std::size_t x = 0; x < count; x += kLanes) {
        __m512i sum = init;
        for (std::size_t k = 0; k < kernel_width; ++k) {
            sum =
                _mm512_add_epi32(sum, _mm512_loadu_si512(of_pixel[k % kStride] + x + k / kStride));
        }
        _mm512_store_ps(sums + x, _mm512_cvtepi32_ps(sum));
    }
}

// Any windows that are at most eight bytes apart: a byte permutation of one vector or two
// collects the same chunk of 16.
template <bool kTwoVectors>
void sums_of_windows(const Packed& packed, const Windows& windows, std::size_t count, float* sums) {
    const __m512i index = _mm512_loadu_si512(packed.index);
    const __m512i init = _mm512_set1_epi32(packed.init[packed.shape.dst_channels]);
    for (std::size_t x = 0; x < count; x += kLanes) {
        __m512i sum = init;
        for (std::size_t y = 0; y < windows.kernel_rows; ++y) {
            const std::uint8_t* row = windows.rows[y] + x * windows.step;
            for (std::size_t q = 0; q < windows.chunks; ++q) {
                const std::uint8_t* at = row + windows.offsets[q];
                __m512i bytes = _mm512_loadu_si512(at);
                if constexpr (kTwoVectors) {
                    bytes = _mm512_permutex2var_epi8(bytes, index, _mm512_loadu_si512(at + 64));
                } else {
                    bytes = _mm512_permutexvar_epi8(index, bytes);
                }
                add_products(sum, bytes, _mm512_set1_epi32(packed.ones[q]));
            }
        }
        _mm512_store_ps(sums + x, _mm512_cvtepi32_ps(sum));
    }
}

void sums_of(const Packed& packed, const Windows& windows, std::size_t count, float* sums) {
    if (packed.triples) {
        packed.shape.stride_width == 1 ? sums_of_triples<1>(packed, windows, count, sums)
                                       : sums_of_triples<2>(packed, windows, count, sums);
    } else if (packed.partials == 4) {
        sums_of_chunks<4>(packed, windows, count, sums);
    } else if (packed.partials == 2) {
        sums_of_chunks<2>(packed, windows, count, sums);
    } else if (packed.partials == 1) {
        sums_of_chunks<1>(packed, windows, count, sums);
    } else if (windows.step <= kQuad) {
        sums_of_windows<false>(packed, windows, count, sums);
    } else {
        sums_of_windows<true>(packed, windows, count, sums);
    }
}

}  // namespace
}  // namespace fuseq::kernels::small_conv
