// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/io_reorder.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "cpu/kernels/common/byte_triples.hpp"
#include "cpu/machine/instructions.hpp"
#include "fuseq/error.hpp"
#include "hwy/cache_control.h"

#ifndef FUSEQ_KERNELS_IO_REORDER_ONCE
#define FUSEQ_KERNELS_IO_REORDER_ONCE
namespace fuseq::kernels {
enum class Direction { kToLast, kFromLast };
}
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/eltwise/io_reorder.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t kTilePixels = 64;
constexpr std::size_t kTileChannels = 16;
constexpr std::size_t kLongBytes = 4096;  // pixels of three bytes that are split at once

// A part of one image.
struct Part {
    std::size_t image;
    std::size_t pixel;
    std::size_t count;  // at most a tile's
};

template <std::size_t TilePixels = kTilePixels, class Body>
void for_parts(std::size_t image_pixels, Range pixels, const Body& body) {
    std::size_t p = pixels.begin;
    while (p < pixels.end) {
        const std::size_t pixel = p % image_pixels;
        // Parts end where tiles of the image end, so that stores stay whole cache lines.
        const std::size_t count =
            std::min({TilePixels - pixel % TilePixels, pixels.end - p, image_pixels - pixel});
        body(Part{p / image_pixels, pixel, count});
        p += count;
    }
}

// Whether values are only moved, and converted where the types differ.
bool is_copy(const IoReorderParams& params) {
    return params.scale.empty() && params.shift.empty() && !params.levels;
}

// Elements of one channel.
template <class Src, class Dst>
HWY_INLINE void convert_row(const IoReorderParams& params,
                            std::size_t channel,
                            const Src* src,
                            Dst* dst,
                            std::size_t count) {
    if constexpr (std::is_same_v<Src, Dst>) {
        if (is_copy(params)) {
            std::memcpy(dst, src, count * sizeof(Src));
            return;
        }
    }
    const float scale = params.scale.empty() ? 1.0f : params.scale[channel];
    const float shift = params.shift.empty() ? 0.0f : params.shift[channel];
    if (params.levels) {
        const IoReorderLevels& levels = *params.levels;
        const float scale2 = levels.scale.empty() ? 1.0f : levels.scale[channel];
        const float shift2 = levels.shift.empty() ? 0.0f : levels.shift[channel];
        map_elements(count, dst, [&](auto d, std::size_t i) HWY_ATTR {
            const auto x = load_float(d, src + i);
            const auto v = hn::Round(fused_mul_add(d, x, hn::Set(d, scale), hn::Set(d, shift)));
            const auto level = hn::Min(hn::Max(v, hn::Set(d, levels.low)), hn::Set(d, levels.high));
            return fused_mul_add(d, level, hn::Set(d, scale2), hn::Set(d, shift2));
        });
        return;
    }
    map_elements(count, dst, [&](auto d, std::size_t i) HWY_ATTR {
        const auto x = load_float(d, src + i);
        return fused_mul_add(d, x, hn::Set(d, scale), hn::Set(d, shift));
    });
}

// The elements of N (2, 4, 8 or 16) vectors, one of each in turn, in log2(N) perfect shuffles: each
// rotates the bits of an element's position (row, column) by one.
template <std::size_t N, class D, class V = hn::Vec<D>>
HWY_INLINE void interleave(D d, V (&x)[N]) {
    V y[N];
    HWY_UNROLL(4)
    for (std::size_t n = N; n > 1; n /= 2) {
        HWY_UNROLL(8)
        for (std::size_t i = 0; i < N / 2; ++i) {
            y[2 * i] = hn::InterleaveLower(d, x[i], x[i + N / 2]);
            y[2 * i + 1] = hn::InterleaveUpper(d, x[i], x[i + N / 2]);
        }
        HWY_UNROLL(16)
        for (std::size_t i = 0; i < N; ++i) {
            x[i] = y[i];
        }
    }
}

// Square transposition of N vectors of N elements.
template <std::size_t N, class T>
HWY_INLINE void transpose(const T* src, std::size_t src_stride, T* dst, std::size_t dst_stride) {
    const hn::FixedTag<T, N> d;
    hn::Vec<decltype(d)> x[N];
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < N; ++i) {
        x[i] = hn::LoadU(d, src + i * src_stride);
    }
    interleave(d, x);
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < N; ++i) {
        hn::StoreU(x[i], d, dst + i * dst_stride);
    }
}

// Rows x columns to columns x rows.
template <class T>
HWY_INLINE void transpose_block(const T* src,
                                std::size_t src_stride,
                                T* dst,
                                std::size_t dst_stride,
                                std::size_t rows,
                                std::size_t columns) {
    constexpr std::size_t kSquare = 16 / sizeof(T);
    const std::size_t whole_rows = rows / kSquare * kSquare;
    const std::size_t whole_columns = columns / kSquare * kSquare;
    for (std::size_t r = 0; r < whole_rows; r += kSquare) {
        for (std::size_t c = 0; c < whole_columns; c += kSquare) {
            transpose<kSquare>(src + r * src_stride + c, src_stride, dst + c * dst_stride + r,
                               dst_stride);
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = r < whole_rows ? whole_columns : 0; c < columns; ++c) {
            dst[c * dst_stride + r] = src[r * src_stride + c];
        }
    }
}

// Three channels of bytes between planes and pixels.
template <class T>
HWY_INLINE void interleave3(const T (*rows)[kTilePixels], T* dst, std::size_t count) {
    const hn::ScalableTag<T> d;
    std::size_t i = 0;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
        hn::StoreInterleaved3(hn::LoadU(d, rows[0] + i), hn::LoadU(d, rows[1] + i),
                              hn::LoadU(d, rows[2] + i), d, dst + 3 * i);
    }
    for (; i < count; ++i) {
        dst[3 * i] = rows[0][i];
        dst[3 * i + 1] = rows[1][i];
        dst[3 * i + 2] = rows[2][i];
    }
}

// `rows` (2, 4 or 8) planes of bytes to pixels of as many.
template <std::size_t kRows>
HWY_INLINE void interleave_bytes(const std::uint8_t (*rows)[kTilePixels],
                                 std::uint8_t* dst,
                                 std::size_t count) {
    const hn::FixedTag<std::uint8_t, 16> d;
    hn::Vec<decltype(d)> x[kRows];
    std::size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        HWY_UNROLL(8)
        for (std::size_t r = 0; r < kRows; ++r) {
            x[r] = hn::LoadU(d, rows[r] + i);
        }
        interleave(d, x);
        HWY_UNROLL(8)
        for (std::size_t r = 0; r < kRows; ++r) {
            hn::StoreU(x[r], d, dst + i * kRows + r * 16);
        }
    }
    for (; i < count; ++i) {
        for (std::size_t r = 0; r < kRows; ++r) {
            dst[i * kRows + r] = rows[r][i];
        }
    }
}

// Planes of a dense tensor of few channels. False: not that many.
template <class T>
HWY_INLINE bool interleave_few(const T (*rows)[kTilePixels],
                               T* dst,
                               std::size_t channels,
                               std::size_t count) {
    if (channels == 3) {
        interleave3(rows, dst, count);
        return true;
    }
    if constexpr (sizeof(T) == 1) {
        const auto* bytes = reinterpret_cast<const std::uint8_t(*)[kTilePixels]>(rows);
        auto* to = reinterpret_cast<std::uint8_t*>(dst);
        switch (channels) {
            case 2: interleave_bytes<2>(bytes, to, count); return true;
            case 4: interleave_bytes<4>(bytes, to, count); return true;
            case 8: interleave_bytes<8>(bytes, to, count); return true;
            default: break;
        }
    }
    return false;
}

template <class T>
HWY_INLINE void deinterleave3(const T* src, T (*rows)[kTilePixels], std::size_t count) {
    const hn::ScalableTag<T> d;
    std::size_t i = 0;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
        hn::Vec<decltype(d)> a, b, c;
        hn::LoadInterleaved3(d, src + 3 * i, a, b, c);
        hn::StoreU(a, d, rows[0] + i);
        hn::StoreU(b, d, rows[1] + i);
        hn::StoreU(c, d, rows[2] + i);
    }
    for (; i < count; ++i) {
        rows[0][i] = src[3 * i];
        rows[1][i] = src[3 * i + 1];
        rows[2][i] = src[3 * i + 2];
    }
}

// Planes are read from memory side by side: the processor's own fetching ahead ends at each page of
// each of them.
template <class T>
HWY_INLINE void fetch_ahead(const T* plane) {
    constexpr std::size_t kAheadBytes = 1024;
    constexpr std::size_t kCacheLine = 64;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(plane) + kAheadBytes;
    for (std::size_t i = 0; i < kTilePixels * sizeof(T); i += kCacheLine) {
        hwy::Prefetch(bytes + i);
    }
}

template <class Src, class Dst>
void to_last(const IoReorderParams& params, const void* src_data, void* dst_data, Range pixels) {
    const auto* src = static_cast<const Src*>(src_data);
    auto* dst = static_cast<Dst*>(dst_data);
    const std::size_t channels = params.channels;
    const std::size_t stride = params.pixel_stride == 0 ? channels : params.pixel_stride;
    const std::size_t plane = params.plane_stride == 0 ? params.pixels : params.plane_stride;
    alignas(64) Dst tile[kTileChannels][kTilePixels];
    for_parts(params.pixels, pixels, [&](const Part& part) HWY_ATTR {
        const Src* planes = src + part.image * channels * plane + part.pixel;
        Dst* out = dst + (part.image * params.pixels + part.pixel) * stride;
        if (channels == 1 && stride == 1) {
            convert_row(params, 0, planes, out, part.count);
            return;
        }
        for (std::size_t c = 0; c < channels; c += kTileChannels) {
            const std::size_t n = std::min(kTileChannels, channels - c);
            for (std::size_t i = 0; i < n; ++i) {
                fetch_ahead(planes + (c + i) * plane);
                convert_row(params, c + i, planes + (c + i) * plane, tile[i], part.count);
            }
            if (stride != channels || !interleave_few(tile, out, channels, part.count)) {
                transpose_block(tile[0], kTilePixels, out + c, stride, n, part.count);
            }
        }
    });
}

#if HWY_MAX_BYTES >= 64
constexpr std::size_t kSquare16 = 16;
constexpr std::size_t kLongPixels = 512;  // planes are written in long runs, which prefetches them

// 16 vectors of 16 floats: exchanges single floats, pairs, then quarters of the vectors.
HWY_INLINE void transpose16(__m512 (&x)[kSquare16]) {
    __m512 y[kSquare16];
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < kSquare16; i += 2) {
        y[i] = _mm512_unpacklo_ps(x[i], x[i + 1]);
        y[i + 1] = _mm512_unpackhi_ps(x[i], x[i + 1]);
    }
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < kSquare16; i += 4) {
        const auto pairs = [](__m512 v) { return _mm512_castps_pd(v); };
        x[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(pairs(y[i]), pairs(y[i + 2])));
        x[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(pairs(y[i]), pairs(y[i + 2])));
        x[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(pairs(y[i + 1]), pairs(y[i + 3])));
        x[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(pairs(y[i + 1]), pairs(y[i + 3])));
    }
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < 4; ++i) {
        y[i] = _mm512_shuffle_f32x4(x[i], x[i + 4], 0x88);
        y[i + 4] = _mm512_shuffle_f32x4(x[i], x[i + 4], 0xDD);
        y[i + 8] = _mm512_shuffle_f32x4(x[i + 8], x[i + 12], 0x88);
        y[i + 12] = _mm512_shuffle_f32x4(x[i + 8], x[i + 12], 0xDD);
    }
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < 8; ++i) {
        x[i] = _mm512_shuffle_f32x4(y[i], y[i + 8], 0x88);
        x[i + 8] = _mm512_shuffle_f32x4(y[i], y[i + 8], 0xDD);
    }
}

HWY_INLINE __mmask16 first_of(std::size_t count) {
    return static_cast<__mmask16>((1u << count) - 1);
}

// Up to 16 pixels by up to 16 channels of floats, as they are, to planes.
template <bool Whole>
HWY_INLINE void move_square(const float* src,
                            std::size_t stride,
                            float* dst,
                            std::size_t plane,
                            std::size_t pixels,
                            std::size_t channels) {
    __m512 x[kSquare16];
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < kSquare16; ++i) {
        if constexpr (Whole) {
            x[i] = _mm512_loadu_ps(src + i * stride);
        } else {
            x[i] = i < pixels ? _mm512_maskz_loadu_ps(first_of(channels), src + i * stride)
                              : _mm512_setzero_ps();
        }
    }
    transpose16(x);
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < kSquare16; ++i) {
        if constexpr (Whole) {
            _mm512_storeu_ps(dst + i * plane, x[i]);
        } else if (i < channels) {
            _mm512_mask_storeu_ps(dst + i * plane, first_of(pixels), x[i]);
        }
    }
}

// Channels-last floats to planes without a change of values: through registers, not a tile.
void floats_from_last(const IoReorderParams& params, const float* src, float* dst, Range pixels) {
    const std::size_t channels = params.channels;
    const std::size_t stride = params.pixel_stride == 0 ? channels : params.pixel_stride;
    const std::size_t plane = params.plane_stride == 0 ? params.pixels : params.plane_stride;
    for_parts<kLongPixels>(params.pixels, pixels, [&](const Part& part) HWY_ATTR {
        const float* in = src + (part.image * params.pixels + part.pixel) * stride;
        float* planes = dst + part.image * channels * plane + part.pixel;
        for (std::size_t c = 0; c < channels; c += kSquare16) {
            const std::size_t n = std::min(kSquare16, channels - c);
            for (std::size_t p = 0; p < part.count; p += kSquare16) {
                const std::size_t count = std::min(kSquare16, part.count - p);
                const float* from = in + p * stride + c;
                float* to = planes + c * plane + p;
                if (n == kSquare16 && count == kSquare16) {
                    move_square<true>(from, stride, to, plane, count, n);
                } else {
                    move_square<false>(from, stride, to, plane, count, n);
                }
            }
        }
    });
}
#endif

template <class Src, class Dst>
void from_last(const IoReorderParams& params, const void* src_data, void* dst_data, Range pixels) {
    const auto* src = static_cast<const Src*>(src_data);
    auto* dst = static_cast<Dst*>(dst_data);
    const std::size_t channels = params.channels;
    const std::size_t stride = params.pixel_stride == 0 ? channels : params.pixel_stride;
    const std::size_t plane = params.plane_stride == 0 ? params.pixels : params.plane_stride;
#if HWY_MAX_BYTES >= 64
    if constexpr (std::is_same_v<Src, float> && std::is_same_v<Dst, float>) {
        if (is_copy(params) && channels > 3) {
            floats_from_last(params, src, dst, pixels);
            return;
        }
    }
#endif
    if constexpr (sizeof(Src) == 1 && std::is_same_v<Src, Dst>) {
        if (channels == 3 && stride == 3 && has_avx512_vbmi() && is_copy(params)) {
            for_parts<kLongBytes>(params.pixels, pixels, [&](const Part& part) {
                const std::size_t at = part.image * channels * plane + part.pixel;
                split_triples(reinterpret_cast<const std::uint8_t*>(src) +
                                  (part.image * params.pixels + part.pixel) * stride,
                              reinterpret_cast<std::uint8_t*>(dst) + at, plane, part.count);
            });
            return;
        }
    }
    alignas(64) Src tile[kTileChannels][kTilePixels];
    for_parts(params.pixels, pixels, [&](const Part& part) HWY_ATTR {
        const Src* in = src + (part.image * params.pixels + part.pixel) * stride;
        Dst* planes = dst + part.image * channels * plane + part.pixel;
        if (channels == 1 && stride == 1) {
            convert_row(params, 0, in, planes, part.count);
            return;
        }
        for (std::size_t c = 0; c < channels; c += kTileChannels) {
            const std::size_t n = std::min(kTileChannels, channels - c);
            if (channels == 3 && stride == 3) {
                deinterleave3(in, tile, part.count);
            } else {
                transpose_block(in + c, stride, tile[0], kTilePixels, part.count, n);
            }
            for (std::size_t i = 0; i < n; ++i) {
                convert_row(params, c + i, tile[i], planes + (c + i) * plane, part.count);
            }
        }
    });
}

using Function = void (*)(const IoReorderParams&, const void*, void*, Range);

template <class Src>
void run_io_reorder(
    const IoReorderParams& params, const void* src, void* dst, Range pixels, Direction way) {
    const bool f32 = params.dst_type == ElementType::f32;
    const bool u8 = params.dst_type == ElementType::u8;
    const Function function = way == Direction::kToLast ? f32  ? to_last<Src, float>
                                                          : u8 ? to_last<Src, std::uint8_t>
                                                               : to_last<Src, std::int8_t>
                              : f32 ? from_last<Src, float>
                              : u8                      ? from_last<Src, std::uint8_t>
                                                        : from_last<Src, std::int8_t>;
    function(params, src, dst, pixels);
}

void reorder_pixels(
    const IoReorderParams& params, const void* src, void* dst, Range pixels, Direction way) {
    switch (params.src_type) {
        case ElementType::f32: return run_io_reorder<float>(params, src, dst, pixels, way);
        case ElementType::u8: return run_io_reorder<std::uint8_t>(params, src, dst, pixels, way);
        default: return run_io_reorder<std::int8_t>(params, src, dst, pixels, way);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(reorder_pixels);

void check_io_reorder(const IoReorderParams& p) {
    const auto known = [](ElementType type) {
        return type == ElementType::f32 || type == ElementType::u8 || type == ElementType::i8;
    };
    if (!known(p.src_type) || !known(p.dst_type)) {
        throw Error("compile", "io_reorder kernel: " + to_string(p.src_type) + " to " +
                                   to_string(p.dst_type) + ", expected u8, i8 or f32");
    }
    const IoReorderLevels levels = p.levels.value_or(IoReorderLevels{});
    const auto fits = [&](std::span<const float> values) {
        return values.empty() || values.size() == p.channels;
    };
    if (!fits(levels.scale) || !fits(levels.shift)) {
        throw Error(
            "compile",
            fmt::format(
                "io_reorder kernel: {} scales and {} shifts after a quantization of {} channels",
                levels.scale.size(), levels.shift.size(), p.channels));
    }
    if (p.channels == 0 || p.pixels == 0 || !fits(p.scale) || !fits(p.shift) ||
        (p.pixel_stride != 0 && p.pixel_stride < p.channels) ||
        (p.plane_stride != 0 && (p.plane_stride < p.pixels || p.batch != 1))) {
        throw Error("compile", fmt::format("io_reorder kernel: {} scales, {} shifts, pixel stride "
                                           "{}, plane stride {} for {} x {} channels of {} pixels",
                                           p.scale.size(), p.shift.size(), p.pixel_stride,
                                           p.plane_stride, p.batch, p.channels, p.pixels));
    }
}

void to_channels_last(const IoReorderParams& params, const void* src, void* dst, Range pixels) {
    HWY_DYNAMIC_DISPATCH(reorder_pixels)(params, src, dst, pixels, Direction::kToLast);
}

void from_channels_last(const IoReorderParams& params, const void* src, void* dst, Range pixels) {
    HWY_DYNAMIC_DISPATCH(reorder_pixels)(params, src, dst, pixels, Direction::kFromLast);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
