// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// In a row the weights of a window meet neighbouring bytes, four of which fill a lane. Where pixels
// are 4, 8 or 16 bytes apart, 64 bytes as they lie in memory hold 1, 2 or 4 such lanes of 16, 8 or
// 4 windows: they are multiplied as they are, and the lanes of a pixel are added at the end. Else
// one or two byte permutations collect the same four bytes of 16 windows.
#include <algorithm>
#include <cstring>

#include <immintrin.h>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni_target.hpp"
#include "cpu/kernels/small_conv/small_conv_detail.hpp"

#pragma GCC push_options
#pragma GCC target("bmi,bmi2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512vbmi")

#include "cpu/kernels/small_conv/small_conv_sigmoid-inl.h"
#include "cpu/kernels/small_conv/small_conv_sums-inl.h"

namespace fuseq::kernels::small_conv {
namespace {

constexpr std::size_t kMaxAtOnce = 4;  // channels, where four lanes hold parts of a sum

// step: bytes from a pixel to the next.
template <Collect kHow>
FUSEQ_INLINE __m512i collect(const std::uint8_t* at, std::size_t step, __m512i index) {
    if constexpr (kHow == Collect::kChunks) {
        return _mm512_loadu_si512(at);
    } else if constexpr (kHow == Collect::kApart) {
        const auto lane = [&](std::size_t i) FUSEQ_LAMBDA {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i * step));
        };
        const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(lane(0)), lane(1), 1);
        const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(lane(2)), lane(3), 1);
        return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    } else if constexpr (kHow == Collect::kOne) {
        return _mm512_permutexvar_epi8(index, _mm512_loadu_si512(at));
    } else {
        return _mm512_permutex2var_epi8(_mm512_loadu_si512(at), index, _mm512_loadu_si512(at + 64));
    }
}

// The weights of a chunk, the same for all pixels.
template <std::size_t kPartials>
FUSEQ_INLINE __m512i broadcast(const std::int32_t* weights) {
    if constexpr (kPartials == 4) {
        return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(weights)));
    } else if constexpr (kPartials == 2) {
        std::int64_t both = 0;
        std::memcpy(&both, weights, sizeof(both));
        return _mm512_set1_epi64(both);
    } else {
        return _mm512_set1_epi32(*weights);
    }
}

// A number for the first of the lanes of each pixel.
template <std::size_t kPartials>
FUSEQ_INLINE __m512i beginning(std::int32_t value) {
    constexpr __mmask16 kFirst = kPartials == 4 ? 0x1111 : kPartials == 2 ? 0x5555 : 0xffff;
    return _mm512_maskz_set1_epi32(kFirst, value);
}

// 16 pixels by kGroups, of kChannels channels from `first` on. kSums: 1 where weights have zero
// points, else 0.
template <Collect kHow,
          std::size_t kPartials,
          std::size_t kChannels,
          std::size_t kSums,
          std::size_t kGroups>
struct Block {
    static constexpr std::size_t kVectors = kPartials * kGroups;
    static constexpr std::size_t kRows = kChannels + kSums;
    __m512i acc[kRows][kVectors];

    FUSEQ_INLINE void run(const Packed& packed,
                          const Windows& windows,
                          std::size_t at,
                          std::size_t first) {
        const std::size_t all = packed.shape.dst_channels;
        const std::size_t stride = (all + kSums) * kPartials;
        const __m512i index = _mm512_loadu_si512(packed.index);
#pragma GCC unroll 9
        for (std::size_t c = 0; c < kRows; ++c) {
            const __m512i init = beginning<kPartials>(packed.init[c < kChannels ? first + c : all]);
#pragma GCC unroll 8
            for (std::size_t v = 0; v < kVectors; ++v) {
                acc[c][v] = init;
            }
        }
        const std::size_t step = kHow == Collect::kChunks ? kPartials * kQuad : windows.step;
        if (first == 0) {
            windows.fetch_ahead(at * step, kGroups * kLanes * step);
        }
        const std::int32_t* weights = packed.weights.data() + first * kPartials;
        for (std::size_t y = 0; y < windows.kernel_rows; ++y) {
            const std::uint8_t* row = windows.rows[y] + at * step;
            for (std::size_t q = 0; q < windows.chunks; ++q, weights += stride) {
                add(row + windows.offsets[q], step * (kLanes / kPartials), index, weights,
                    (all - first) * kPartials);
            }
        }
    }

    FUSEQ_INLINE void add(const std::uint8_t* at,
                          std::size_t step,
                          __m512i index,
                          const std::int32_t* weights,
                          std::size_t to_sums) {
        __m512i bytes[kVectors];
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) {
            bytes[v] = collect<kHow>(at + v * step, step * kPartials / kLanes, index);
        }
#pragma GCC unroll 9
        for (std::size_t c = 0; c < kRows; ++c) {
            const __m512i w =
                broadcast<kPartials>(weights + (c < kChannels ? c * kPartials : to_sums));
#pragma GCC unroll 8
            for (std::size_t v = 0; v < kVectors; ++v) {
                add_products(acc[c][v], bytes[v], w);
            }
        }
    }

    // The values of channel first + c of a group.
    FUSEQ_INLINE __m512 value(const Packed& packed,
                              std::size_t c,
                              std::size_t group,
                              std::size_t first) const {
        __m512 x = _mm512_cvtepi32_ps(add_partials<kPartials>(acc[c] + group * kPartials));
        if constexpr (kSums != 0) {
            const __m512 sum =
                _mm512_cvtepi32_ps(add_partials<kPartials>(acc[kChannels] + group * kPartials));
            x = _mm512_fmadd_ps(sum, _mm512_set1_ps(packed.of_sum[first + c]), x);
        }
        return _mm512_fmadd_ps(x, _mm512_set1_ps(packed.scale[first + c]),
                               _mm512_set1_ps(packed.bias[first + c]));
    }

    // Of the first `count` pixels, to planes that are `pitch` floats apart.
    FUSEQ_INLINE void to_planes(const Packed& packed,
                                std::size_t first,
                                std::size_t count,
                                float* planes,
                                std::size_t pitch) const {
        const __m512i order = _mm512_loadu_si512(packed.lane_of_pixel);
#pragma GCC unroll 8
        for (std::size_t c = 0; c < kChannels; ++c) {
#pragma GCC unroll 8
            for (std::size_t g = 0; g < kGroups; ++g) {
                __m512 v = value(packed, c, g, first);
                if constexpr (kPartials != 1) {
                    v = _mm512_permutexvar_ps(order, v);
                }
                float* const to = planes + (first + c) * pitch + g * kLanes;
                if (count >= (g + 1) * kLanes) {
                    _mm512_storeu_ps(to, v);
                } else if (count > g * kLanes) {
                    _mm512_mask_storeu_ps(
                        to, static_cast<__mmask16>((1u << (count - g * kLanes)) - 1), v);
                }
            }
        }
    }

    // The same after what else is done before it is rounded.
    FUSEQ_INLINE __m512i integers(const Packed& packed, std::size_t c, std::size_t group) const {
        const __m512 v = value(packed, c, group, 0);
        return _mm512_cvtps_epi32(
            packed.sigmoid ? scaled_sigmoid(v, _mm512_set1_ps(packed.sigmoid_scale)) : v);
    }

    // Four channels: lane i of 128 bits holds those of pixels 4i to 4i + 3, one after the
    // other.
    FUSEQ_INLINE __m512i four(const Packed& packed, std::size_t c, std::size_t group) const {
        __m512i v[4];
#pragma GCC unroll 4
        for (std::size_t i = 0; i < 4; ++i) {
            v[i] = c + i < kChannels ? integers(packed, std::min(c + i, kChannels - 1), group)
                                     : _mm512_setzero_si512();
        }
        return packed_bytes(packed, v);
    }
    static FUSEQ_INLINE __m512i packed_bytes(const Packed& packed, const __m512i (&v)[4]) {
        const __m512i low = _mm512_packs_epi32(v[0], v[1]);
        const __m512i high = _mm512_packs_epi32(v[2], v[3]);
        return packed.dst_type == ElementType::i8 ? _mm512_packs_epi16(low, high)
                                                  : _mm512_packus_epi16(low, high);
    }

    // kChannels * 16 bytes a group.
    FUSEQ_INLINE void to_bytes(const Packed& packed, std::uint8_t* dst) const {
        constexpr std::size_t kBytes = kChannels * kLanes;
        if constexpr (kChannels == 1 && kGroups % 4 == 0) {
            const __m512i order = _mm512_loadu_si512(packed.store[1]);
#pragma GCC unroll 2
            for (std::size_t g = 0; g < kGroups; g += 4) {
                const __m512i v[4] = {integers(packed, 0, g), integers(packed, 0, g + 1),
                                      integers(packed, 0, g + 2), integers(packed, 0, g + 3)};
                const __m512i bytes = _mm512_permutexvar_epi8(order, packed_bytes(packed, v));
                _mm512_storeu_si512(dst + g * kLanes, bytes);
            }
            return;
        }
        const __m512i first = _mm512_loadu_si512(packed.store[0]);
#pragma GCC unroll 8
        for (std::size_t g = 0; g < kGroups; ++g, dst += kBytes) {
            const __m512i low = four(packed, 0, g);
            if constexpr (kBytes <= 64) {
                store<kBytes>(_mm512_permutexvar_epi8(first, low), dst);
            } else {
                const __m512i high = four(packed, 4, g);
                const __m512i second = _mm512_loadu_si512(packed.store[1]);
                store<64>(_mm512_permutex2var_epi8(low, first, high), dst);
                store<kBytes - 64>(_mm512_permutex2var_epi8(low, second, high), dst + 64);
            }
        }
    }

    // 16, 32, 48 or 64 bytes. No masks, which make stores slow on some machines.
    template <std::size_t kBytes>
    static FUSEQ_INLINE void store(__m512i v, std::uint8_t* dst) {
        if constexpr (kBytes == 64) {
            _mm512_storeu_si512(dst, v);
        } else if constexpr (kBytes >= 32) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst), _mm512_castsi512_si256(v));
            if constexpr (kBytes == 48) {
                _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + 32),
                                 _mm512_extracti32x4_epi32(v, 2));
            }
        } else {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(dst), _mm512_castsi512_si128(v));
        }
    }
};

// Vectors of a channel that fit into the registers with all others.
constexpr std::size_t groups_of(std::size_t partials, std::size_t channels) {
    const std::size_t vectors = channels == 1 ? 8 : channels <= 4 ? 4 : 2;
    return std::max<std::size_t>(1, vectors / partials);
}

template <Collect kHow, std::size_t kPartials, std::size_t kChannels, std::size_t kSums>
void tile_to_planes(const Packed& packed,
                    const Windows& windows,
                    std::size_t count,
                    std::size_t first,
                    float* planes,
                    std::size_t pitch) {
    constexpr std::size_t kGroups = groups_of(kPartials, kChannels);
    for (std::size_t at = 0; at < count; at += kGroups * kLanes) {
        Block<kHow, kPartials, kChannels, kSums, kGroups> block;
        block.run(packed, windows, at, first);
        block.to_planes(packed, first, count - at, planes + at, pitch);
    }
}

template <Collect kHow, std::size_t kPartials, std::size_t kChannels, std::size_t kSums>
void tile_to_bytes(const Packed& packed,
                   const Windows& windows,
                   std::size_t count,
                   std::uint8_t* dst) {
    constexpr std::size_t kGroups = groups_of(kPartials, kChannels);
    constexpr std::size_t kPixels = kGroups * kLanes;
    for (std::size_t at = 0; at < count; at += kPixels) {
        Block<kHow, kPartials, kChannels, kSums, kGroups> block;
        block.run(packed, windows, at, 0);
        if (at + kPixels <= count) {
            block.to_bytes(packed, dst + at * kChannels);
            continue;
        }
        alignas(64) std::uint8_t rest[kPixels * kChannels];
        block.to_bytes(packed, rest);
        std::memcpy(dst + at * kChannels, rest, (count - at) * kChannels);
    }
}

// Calls body with the number of channels, as a constant.
template <std::size_t kChannels, std::size_t kMax, class Body>
FUSEQ_INLINE void with_channels(std::size_t channels, const Body& body) {
    if constexpr (kChannels == kMax) {
        body.template operator()<kChannels>();
    } else {
        channels == kChannels ? body.template operator()<kChannels>()
                              : with_channels<kChannels + 1, kMax>(channels, body);
    }
}

// Calls body with how pixels are collected and the number of parts, as constants.
template <class Body>
FUSEQ_INLINE void with_form(const Packed& packed, const Body& body) {
    if (packed.how == Collect::kOne) {
        body.template operator()<Collect::kOne, 1>();
    } else if (packed.how == Collect::kTwo) {
        body.template operator()<Collect::kTwo, 1>();
    } else if (packed.partials == 1) {
        body.template operator()<Collect::kChunks, 1>();
    } else if (packed.partials == 2) {
        body.template operator()<Collect::kChunks, 2>();
    } else if (packed.how == Collect::kApart) {
        body.template operator()<Collect::kApart, 4>();
    } else {
        body.template operator()<Collect::kChunks, 4>();
    }
}

}  // namespace

void run_planes(const Packed& packed,
                const Windows& windows,
                std::size_t count,
                float* planes,
                std::size_t pitch) {
    with_form(packed, [&]<Collect kHow, std::size_t kPartials>() {
        constexpr std::size_t kMax = kPartials == 4 ? kMaxAtOnce : kSmallConvChannels;
        const std::size_t channels = packed.shape.dst_channels;
        for (std::size_t first = 0; first < channels; first += kMax) {
            with_channels<1, kMax>(std::min(kMax, channels - first), [&]<std::size_t kChannels>() {
                packed.sums ? tile_to_planes<kHow, kPartials, kChannels, 1>(packed, windows, count,
                                                                            first, planes, pitch)
                            : tile_to_planes<kHow, kPartials, kChannels, 0>(packed, windows, count,
                                                                            first, planes, pitch);
            });
        }
    });
}

void run_bytes(const Packed& packed, const Windows& windows, std::size_t count, std::uint8_t* dst) {
    with_form(packed, [&]<Collect kHow, std::size_t kPartials>() {
        constexpr std::size_t kMax = kPartials == 4 ? kMaxAtOnce : kSmallConvChannels;
        with_channels<1, kMax>(packed.shape.dst_channels, [&]<std::size_t kChannels>() {
            packed.sums ? tile_to_bytes<kHow, kPartials, kChannels, 1>(packed, windows, count, dst)
                        : tile_to_bytes<kHow, kPartials, kChannels, 0>(packed, windows, count, dst);
        });
    });
}

}  // namespace fuseq::kernels::small_conv

#pragma GCC pop_options
