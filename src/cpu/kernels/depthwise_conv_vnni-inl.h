// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution with AVX-512 VNNI.
//
// A block is 64 channels. Four source rows of one column are interleaved by byte and word unpacks,
// so that each 32-bit lane holds four vertical taps of one channel: four vectors, "quarters", that
// a dot product multiplies with four weights a lane. Within a 128-bit lane the unpacks put channels
// 4q .. 4q+3 into quarter q, and the two packs of the store put them back in order.
//
// Columns stream through: each is loaded and interleaved once and added to all outputs that read
// it, kept in a ring of accumulators. A 3x3 kernel of stride 1 makes two output rows of the four
// source rows, with weights (w0 w1 w2 0) and (0 w0 w1 w2).
//
// The channels that remain behind the blocks of 64 do not fill a vector. When they are 32 (16) or
// fewer, the two (four) parts of the vector hold the same channels of two (four) different outputs
// rows, which are loaded and stored under masks.
//
// For the files that instantiate Runner only; two of them, to share the compiler's work.
#pragma once

#include <immintrin.h>

#include <algorithm>

#include "cpu/kernels/depthwise_conv_detail.hpp"
#include "cpu/kernels/unrolled-inl.h"

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")

namespace fuseq::kernels::depthwise {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kMaxRows = 5;         // source rows of a strip
constexpr std::size_t kPadding = kMaxRows;  // the row behind them: a pixel outside of src
constexpr std::size_t kMaxParts = 4;        // strips in one vector
constexpr std::size_t kQuarters = 4;

// One or two output rows of a block, for each part of the vector.
struct Strip {
    const std::uint8_t* src[kMaxRows + 1]
                           [kMaxParts];  // moved back by the part's place in the vector
    std::uint8_t* dst[2][kMaxParts];     // first channel of the block, first column
    __mmask64 load[kMaxParts];
    __mmask64 store[2][kMaxParts];  // of bytes in channel order, all zero for rows not wanted
    std::ptrdiff_t first_x;         // -pad_left
    std::ptrdiff_t src_width;
    std::ptrdiff_t dst_width;
    std::ptrdiff_t src_step;  // bytes
    std::ptrdiff_t dst_step;
    __m512i flip;
    bool zero_padding;  // columns outside of src add nothing to the sums
    const Block* block;
    const Epilogue* epilogue;
};

// 0: a whole block of 64 channels. 1, 2, 4: that many parts of the vector, under masks.
// 12, 14: two, four parts that are full (32, 16 channels): plain loads and stores of the parts.
constexpr std::size_t parts_of(std::size_t mode) {
    return mode == 0 ? 1 : mode % 10;
}
std::size_t mode_of(std::size_t channels) {
    switch (channels) {
        case 64: return 0;
        case 32: return 12;
        case 16: return 14;
        default: return channels > 32 ? 1 : channels > 16 ? 2 : 4;
    }
}

template <class Vector>
FUSEQ_INLINE Vector load_as(const std::uint8_t* from) {
    Vector v;
    __builtin_memcpy(&v, from, sizeof(v));
    return v;
}

template <std::size_t Mode>
FUSEQ_INLINE __m512i load_row(const Strip& strip, std::size_t row, std::ptrdiff_t offset) {
    const std::uint8_t* const* src = strip.src[row];
    if constexpr (Mode == 0) {
        return _mm512_loadu_si512(src[0] + offset);
    } else if constexpr (Mode == 12) {
        const __m512i v = _mm512_castsi256_si512(load_as<__m256i>(src[0] + offset));
        return _mm512_inserti64x4(v, load_as<__m256i>(src[1] + offset + 32), 1);
    } else if constexpr (Mode == 14) {
        __m512i v = _mm512_castsi128_si512(load_as<__m128i>(src[0] + offset));
        v = _mm512_inserti32x4(v, load_as<__m128i>(src[1] + offset + 16), 1);
        v = _mm512_inserti32x4(v, load_as<__m128i>(src[2] + offset + 32), 2);
        return _mm512_inserti32x4(v, load_as<__m128i>(src[3] + offset + 48), 3);
    } else {
        __m512i v = _mm512_maskz_loadu_epi8(strip.load[0], src[0] + offset);
        for (std::size_t p = 1; p < Mode; ++p) {
            v = _mm512_mask_loadu_epi8(v, strip.load[p], src[p] + offset);
        }
        return v;
    }
}

using Quarters = Registers<__m512i, kQuarters>;

FUSEQ_INLINE Quarters four_times(__m512i v) {
    return {{v, v, v, v}};
}

FUSEQ_INLINE Quarters interleave(__m512i r0, __m512i r1, __m512i r2, __m512i r3) {
    const __m512i low01 = _mm512_unpacklo_epi8(r0, r1);
    const __m512i low23 = _mm512_unpacklo_epi8(r2, r3);
    const __m512i high01 = _mm512_unpackhi_epi8(r0, r1);
    const __m512i high23 = _mm512_unpackhi_epi8(r2, r3);
    return {_mm512_unpacklo_epi16(low01, low23), _mm512_unpackhi_epi16(low01, low23),
            _mm512_unpacklo_epi16(high01, high23), _mm512_unpackhi_epi16(high01, high23)};
}

template <bool Plain>
FUSEQ_INLINE __m512
finish_value(const Block& block, const Epilogue& e, __m512i acc, std::size_t q) {
    __m512 v = _mm512_fmadd_ps(_mm512_cvtepi32_ps(acc), _mm512_load_ps(block.scale + 16 * q),
                               _mm512_load_ps(block.bias + 16 * q));
    if constexpr (!Plain) {  // no branches: a slope of 1, a shift of 0 and bounds far off do
                             // nothing
        const __mmask16 negative = _mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_LE_OQ);
        v = _mm512_mask_mul_ps(v, negative, v, _mm512_load_ps(block.slope + 16 * q));
        v = _mm512_add_ps(v, _mm512_set1_ps(e.shift));
        v = _mm512_min_ps(_mm512_max_ps(v, _mm512_set1_ps(e.low)), _mm512_set1_ps(e.high));
    }
    return v;
}

template <class Vector>
FUSEQ_INLINE void store_part(
    const Strip& strip, std::size_t row, std::size_t part, std::ptrdiff_t offset, Vector v) {
    if (strip.store[row][part] != 0) {
        __builtin_memcpy(strip.dst[row][part] + offset, &v, sizeof(v));
    }
}

template <std::size_t Mode>
FUSEQ_INLINE void store_bytes(const Strip& strip, std::size_t row, std::ptrdiff_t x, __m512i v) {
    const std::ptrdiff_t offset = x * strip.dst_step;
    if constexpr (Mode == 0) {
        _mm512_storeu_si512(strip.dst[row][0] + offset, v);
    } else if constexpr (Mode == 12) {
        store_part(strip, row, 0, offset, _mm512_castsi512_si256(v));
        store_part(strip, row, 1, offset, _mm512_extracti64x4_epi64(v, 1));
    } else if constexpr (Mode == 14) {
        store_part(strip, row, 0, offset, _mm512_castsi512_si128(v));
        store_part(strip, row, 1, offset, _mm512_extracti32x4_epi32(v, 1));
        store_part(strip, row, 2, offset, _mm512_extracti32x4_epi32(v, 2));
        store_part(strip, row, 3, offset, _mm512_extracti32x4_epi32(v, 3));
    } else {
        for (std::size_t p = 0; p < Mode; ++p) {
            std::uint8_t* to = strip.dst[row][p] + offset - p * (kBlock / Mode);
            _mm512_mask_storeu_epi8(to, strip.store[row][p], v);
        }
    }
}

// Floats in quarter order to memory in channel order: a transposition of 4x4 lanes of 128 bits.
template <std::size_t Mode>
FUSEQ_INLINE void store_floats(const Strip& strip,
                               std::size_t row,
                               std::ptrdiff_t x,
                               const Registers<__m512, kQuarters>& v) {
    constexpr std::size_t kParts = parts_of(Mode);
    const __m512 a = _mm512_shuffle_f32x4(v[0], v[1], 0x44);
    const __m512 b = _mm512_shuffle_f32x4(v[2], v[3], 0x44);
    const __m512 c = _mm512_shuffle_f32x4(v[0], v[1], 0xEE);
    const __m512 d = _mm512_shuffle_f32x4(v[2], v[3], 0xEE);
    const Registers<__m512, 4> lanes{
        {_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xDD),
         _mm512_shuffle_f32x4(c, d, 0x88), _mm512_shuffle_f32x4(c, d, 0xDD)}};
    for (std::size_t lane = 0; lane < 4; ++lane) {
        const std::size_t p = lane * kParts / 4;
        auto* to = reinterpret_cast<float*>(strip.dst[row][p] + x * strip.dst_step);
        to += 16 * (lane - p * 4 / kParts);
        const auto mask = static_cast<__mmask16>(strip.store[row][p] >> (16 * lane));
        _mm512_mask_storeu_ps(to, mask, lanes[lane]);
    }
}

template <std::size_t Mode, bool Plain>
FUSEQ_INLINE void finish(const Strip& strip,
                         std::size_t row,
                         std::ptrdiff_t x,
                         const Quarters& acc) {
    const Epilogue& e = *strip.epilogue;
    const Block& block = *strip.block;
    Registers<__m512, kQuarters> v;
    unrolled<kQuarters>([&](auto q)
                            FUSEQ_LAMBDA { v[q] = finish_value<Plain>(block, e, acc[q], q); });
    if constexpr (!Plain) {
        if (e.store == Store::kF32) {
            store_floats<Mode>(strip, row, x, v);
            return;
        }
    }
    const __m512i low = _mm512_packs_epi32(_mm512_cvtps_epi32(v[0]), _mm512_cvtps_epi32(v[1]));
    const __m512i high = _mm512_packs_epi32(_mm512_cvtps_epi32(v[2]), _mm512_cvtps_epi32(v[3]));
    if (e.store == Store::kU8) {
        store_bytes<Mode>(strip, row, x, _mm512_packus_epi16(low, high));
    } else {
        store_bytes<Mode>(strip, row, x, _mm512_packs_epi16(low, high));
    }
}

// Height x Width kernel, Rows output rows, horizontal stride Stride.
template <std::size_t Height, std::size_t Width, std::size_t Rows, std::size_t Stride>
struct Geometry {
    static constexpr std::size_t kSrcRows = Height + Rows - 1;  // Rows == 2 only with stride 1
    static constexpr std::size_t kGroups = (kSrcRows + 3) / 4;
    static constexpr std::size_t kVariants = Height == 3 && Stride == 1 ? 2 : 1;
    static constexpr std::size_t kRing = (Width + Stride - 1) / Stride;
    static constexpr std::size_t kEntryBytes = kBlock * 4;
    static_assert(kSrcRows <= kMaxRows && Rows <= kVariants && Rows <= 2);

    // Entries of Order::entries: by column of the kernel, group of rows, output row.
    static constexpr std::size_t entry(std::size_t column, std::size_t group, std::size_t row) {
        return (column * kGroups + group) * kVariants + row;
    }
};

template <std::size_t SrcRows, std::size_t Mode, bool Flip>
FUSEQ_INLINE void load_column(const Strip& strip,
                              std::ptrdiff_t x,
                              Registers<Quarters, (SrcRows + 3) / 4>& data) {
    if (x < 0 || x >= strip.src_width) {
        __m512i outside = load_row<Mode>(strip, kPadding, 0);
        if constexpr (Flip) {
            outside = _mm512_xor_si512(outside, strip.flip);
        }
        const Quarters pixel = interleave(outside, outside, outside, outside);
        unrolled<(SrcRows + 3) / 4>([&](auto g) FUSEQ_LAMBDA { data[g] = pixel; });
        return;
    }
    const std::ptrdiff_t offset = x * strip.src_step;
    Registers<__m512i, SrcRows> row;
    unrolled<SrcRows>([&](auto r) FUSEQ_LAMBDA {
        row[r] = load_row<Mode>(strip, r, offset);
        if constexpr (Flip) {
            row[r] = _mm512_xor_si512(row[r], strip.flip);
        }
    });
    data[0] = interleave(row[0], row[1], row[2], row[SrcRows > 3 ? 3 : 2]);
    if constexpr (SrcRows == 5) {  // the weights of the other three taps are zero
        data[1] = interleave(row[4], row[4], row[4], row[4]);
    }
}

template <std::size_t Height,
          std::size_t Width,
          std::size_t Rows,
          std::size_t Stride,
          std::size_t Mode,
          bool Flip,
          bool Plain>
void run_strip(const Strip& strip) {
    using G = Geometry<Height, Width, Rows, Stride>;
    const std::int8_t* wei = strip.block->wei;
    const std::int32_t* init = strip.block->init;
    Registers<Registers<Quarters, Rows>, G::kRing> ring;
    unrolled<G::kRing>([&](auto slot) FUSEQ_LAMBDA {
        unrolled<Rows>([&](auto row)
                           FUSEQ_LAMBDA { ring[slot][row] = four_times(_mm512_setzero_si512()); });
    });
    const auto steps = strip.dst_width + static_cast<std::ptrdiff_t>(G::kRing) - 1;
    for (std::ptrdiff_t step = 0; step < steps;) {
        unrolled<G::kRing>([&](auto turn) FUSEQ_LAMBDA {
            if (step >= steps) {
                return;
            }
            // Forget what is known of these: weights and vectors are operands in memory, and must
            // not be carried from one turn to the next in registers that the ring needs.
            __asm__("" : "+r"(wei), "+r"(init));
            unrolled<Stride>([&](auto c) FUSEQ_LAMBDA {
                const std::ptrdiff_t column =
                    strip.first_x + step * static_cast<std::ptrdiff_t>(Stride) + c();
                if (strip.zero_padding && (column < 0 || column >= strip.src_width)) {
                    if constexpr (c() == 0) {  // adds nothing, but an output begins here
                        unrolled<Rows>([&](auto row) FUSEQ_LAMBDA {
                            unrolled<kQuarters>([&](auto q) FUSEQ_LAMBDA {
                                ring[turn()][row][q] = _mm512_load_si512(init + 16 * q);
                            });
                        });
                    }
                    return;
                }
                Registers<Quarters, G::kGroups> data;
                load_column<G::kSrcRows, Mode, Flip>(strip, column, data);
                unrolled<(Width - c() + Stride - 1) / Stride>([&](auto j) FUSEQ_LAMBDA {
                    constexpr std::size_t kColumn = Stride * j() + c();
                    constexpr std::size_t kSlot = (turn() + G::kRing - j()) % G::kRing;
                    unrolled<Rows>([&](auto row) FUSEQ_LAMBDA {
                        Quarters& acc = ring[kSlot][row];
                        unrolled<kQuarters>([&](auto q) FUSEQ_LAMBDA {
                            if constexpr (kColumn == 0) {
                                acc[q] = _mm512_load_si512(init + 16 * q);
                            }
                            unrolled<G::kGroups>([&](auto g) FUSEQ_LAMBDA {
                                const std::int8_t* w =
                                    wei + G::entry(kColumn, g, row) * G::kEntryBytes + 64 * q;
                                acc[q] =
                                    _mm512_dpbusd_epi32(acc[q], data[g][q], _mm512_load_si512(w));
                            });
                        });
                    });
                });
            });
            const std::ptrdiff_t x = step - static_cast<std::ptrdiff_t>(G::kRing) + 1;
            if (x >= 0) {
                unrolled<Rows>([&](auto row) FUSEQ_LAMBDA {
                    finish<Mode, Plain>(strip, row, x, ring[(turn() + 1) % G::kRing][row]);
                });
            }
            ++step;
        });
    }
}

// ---- rows to strips -------------------------------------------------------------------------

// One or two neighbouring output rows of one image.
struct Task {
    std::size_t image;
    std::size_t y;
    std::size_t rows;
};

__mmask64 part_mask(std::size_t part, std::size_t parts, std::size_t channels) {
    const std::uint64_t ones = channels == 64 ? ~0ull : (1ull << channels) - 1;
    return ones << (part * (kBlock / parts));
}

// Fills one part of the strip; `wanted` is false for parts that only repeat a task.
struct StripMaker {
    const Packed& packed;
    const std::uint8_t* src;
    std::uint8_t* dst;
    std::size_t src_rows;
    std::size_t parts;

    void fill(Strip& strip, std::size_t part, const Task& task, std::size_t wanted_rows) const {
        const DepthwiseShape& s = packed.shape;
        const Block& block = *strip.block;
        const std::size_t element = dst_size(packed.epilogue.store);
        const std::size_t back = part * (kBlock / parts);
        const auto top = static_cast<std::ptrdiff_t>(task.y * s.stride_height) - s.pad_top;
        for (std::size_t r = 0; r < src_rows; ++r) {
            const auto y = top + static_cast<std::ptrdiff_t>(r);
            strip.src[r][part] = src_row(packed, src, task.image, y) + block.first_channel - back;
        }
        strip.src[kPadding][part] = packed.padding_row.data() + block.first_channel - back;
        const __mmask64 mask = part_mask(part, parts, block.channels);
        strip.load[part] = mask;
        for (std::size_t r = 0; r < 2; ++r) {
            const std::size_t y = task.y + (r < task.rows ? r : 0);
            strip.dst[r][part] =
                dst + ((task.image * s.dst_height + y) * s.dst_width * s.dst_pixel_stride +
                       block.first_channel) *
                          element;
            strip.store[r][part] = r < wanted_rows ? mask : 0;
        }
    }
};

template <std::size_t Height, std::size_t Width, std::size_t Stride>
struct Runner {
    static constexpr std::size_t kRows = Height == 3 && Stride == 1 ? 2 : 1;
    static constexpr std::size_t kMaxTasks = 32;

    template <std::size_t Mode, bool Flip, bool Plain>
    static void run_tasks(const StripMaker& maker, Strip& strip, const Task* tasks, std::size_t n) {
        constexpr std::size_t kParts = parts_of(Mode);
        for (std::size_t i = 0; i < n; i += kParts) {
            for (std::size_t p = 0; p < kParts; ++p) {
                const bool wanted = i + p < n;
                const Task& task = tasks[wanted ? i + p : i];
                maker.fill(strip, p, task, wanted ? task.rows : 0);
            }
            if (kRows == 2 && Mode == 0 && tasks[i].rows == 1) {
                run_strip<Height, Width, 1, Stride, Mode, Flip, Plain>(strip);
            } else {
                run_strip<Height, Width, kRows, Stride, Mode, Flip, Plain>(strip);
            }
        }
    }

    static void run_block(StripMaker& maker, Strip& strip, const Task* tasks, std::size_t n) {
        const std::size_t mode = mode_of(strip.block->channels);
        maker.parts = parts_of(mode);
        const bool plain = maker.packed.epilogue.plain;
        switch (mode) {
            case 0:
                if (plain && maker.packed.flip == 0) {
                    return run_tasks<0, false, true>(maker, strip, tasks, n);
                }
                return plain ? run_tasks<0, true, true>(maker, strip, tasks, n)
                             : run_tasks<0, true, false>(maker, strip, tasks, n);
            case 1:
                return plain ? run_tasks<1, true, true>(maker, strip, tasks, n)
                             : run_tasks<1, true, false>(maker, strip, tasks, n);
            case 2:
                return plain ? run_tasks<2, true, true>(maker, strip, tasks, n)
                             : run_tasks<2, true, false>(maker, strip, tasks, n);
            case 12:
                return plain ? run_tasks<12, true, true>(maker, strip, tasks, n)
                             : run_tasks<2, true, false>(maker, strip, tasks, n);
            case 14:
                return plain ? run_tasks<14, true, true>(maker, strip, tasks, n)
                             : run_tasks<4, true, false>(maker, strip, tasks, n);
            default:
                return plain ? run_tasks<4, true, true>(maker, strip, tasks, n)
                             : run_tasks<4, true, false>(maker, strip, tasks, n);
        }
    }

    static void run(const Packed& packed,
                    const std::uint8_t* src,
                    std::uint8_t* dst,
                    Range rows,
                    Range blocks) {
        const DepthwiseShape& s = packed.shape;
        StripMaker maker{packed, src, dst, Height + kRows - 1, 1};
        Strip strip{};
        strip.first_x = -s.pad_left;
        strip.src_width = static_cast<std::ptrdiff_t>(s.src_width);
        strip.dst_width = static_cast<std::ptrdiff_t>(s.dst_width);
        strip.src_step = static_cast<std::ptrdiff_t>(s.src_pixel_stride);
        strip.dst_step =
            static_cast<std::ptrdiff_t>(s.dst_pixel_stride * dst_size(packed.epilogue.store));
        strip.flip = _mm512_set1_epi8(static_cast<char>(packed.flip));
        strip.epilogue = &packed.epilogue;
        strip.zero_padding = packed.zero_padding;
        // Source rows should stay in the cache while the blocks of channels take turns.
        constexpr std::size_t kCacheBytes = 96 * 1024;
        const std::size_t row_bytes = s.src_width * s.src_pixel_stride * s.stride_height * kRows;
        const std::size_t chunk = std::clamp<std::size_t>(kCacheBytes / row_bytes, 4, kMaxTasks);
        std::size_t row = rows.begin;
        while (row < rows.end) {
            Task tasks[kMaxTasks];
            std::size_t n = 0;
            for (; n < chunk && row < rows.end; ++n) {
                const std::size_t y = row % s.dst_height;
                const std::size_t count = std::min({kRows, rows.end - row, s.dst_height - y});
                tasks[n] = {row / s.dst_height, y, count};
                row += count;
            }
            for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
                strip.block = &packed.blocks[b];
                run_block(maker, strip, tasks, n);
            }
        }
    }
};

}  // namespace
}  // namespace fuseq::kernels::depthwise

#pragma GCC pop_options
