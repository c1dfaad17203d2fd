// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution by dot products of bytes in 256 bits, a strip of output pixels at a time.
// The source rows that the strip reads are interleaved in fours, column after column, into a buffer
// in the L1 cache; all windows read their columns there. With a vertical stride of 1 two output rows
// share the buffer: of kernel 3 x 3 four source rows serve both.
#include <algorithm>

#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/depthwise/depthwise_conv_quads.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/hwy_unrolled-inl.h"
#include "cpu/kernels/common/vnni256-inl.h"
#include "cpu/kernels/depthwise/depthwise_conv_portable-inl.h"
#include "cpu/kernels/depthwise/depthwise_quad_channels-inl.h"
#include "cpu/kernels/depthwise/depthwise_quad_finish-inl.h"
#include "cpu/kernels/depthwise/depthwise_three_columns-inl.h"
#include "cpu/machine/avx_vnni.hpp"

namespace fuseq::kernels::depthwise {
#ifndef FUSEQ_DEPTHWISE_QUADS
#define FUSEQ_DEPTHWISE_QUADS
namespace {

constexpr std::size_t kQuadBytes = 4 * kQuadChannels;
constexpr std::size_t kQuadBuffer = 16
                                    << 10;  // of one strip; in L1 with the source and the weights
constexpr std::size_t kMaxQuadStrip = 64;   // output pixels
constexpr std::size_t kMinQuadStrip = 4;    // fewer: columns are interleaved too often
constexpr std::size_t kMaxQuads = 8;        // of source rows

std::size_t quads_of(const DepthwiseShape& s) {
    return (source_rows(s) + 3) / 4;
}

// Output pixels of a strip; 0: not even kMinQuadStrip fit.
std::size_t quad_strip(const DepthwiseShape& s) {
    const std::size_t columns = kQuadBuffer / (quads_of(s) * kQuadBytes);
    if (columns < columns_of(s, kMinQuadStrip)) {
        return 0;
    }
    return std::min(kMaxQuadStrip, (columns - columns_of(s, 1)) / s.stride_width + 1);
}

}  // namespace
#endif  // FUSEQ_DEPTHWISE_QUADS
}  // namespace fuseq::kernels::depthwise

#if HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels::depthwise {
namespace HWY_NAMESPACE {
namespace {

using fuseq::kernels::HWY_NAMESPACE::Evex;
using fuseq::kernels::HWY_NAMESPACE::Vex;

// One output row of a strip, of a block of channels.
struct QuadStrip {
    const Packed& packed;
    const Block& block;
    std::size_t quads;           // of source rows
    std::size_t count;           // output pixels
    const std::uint8_t* bytes;   // the buffer
    const std::int8_t* weights;  // [quad][column][kQuadBytes], of the output row
    std::uint8_t* dst;           // the first pixel
};

// `count` columns of four source rows, `step` bytes apart. Unpacking works within 128 bits: a vector
// has channels 4i .. 4i+3 and 16+4i .. 16+4i+3.
template <std::size_t Channels>
void interleave_columns(const std::uint8_t* const* rows,
                        std::size_t step,
                        std::size_t count,
                        std::uint8_t flip,
                        std::uint8_t* to,
                        std::size_t to_step) {
    const __m256i flips = _mm256_set1_epi8(static_cast<char>(flip));
    const std::uint8_t* row[4] = {rows[0], rows[1], rows[2], rows[3]};
    for (std::size_t i = 0; i < count; ++i) {
        __m256i v[4];
        unrolled<4>([&](auto r) FUSEQ_HWY_LAMBDA {
            v[r] = _mm256_xor_si256(load_channels<Channels>(row[r]), flips);
            row[r] += step;
        });
        const __m256i low[2] = {_mm256_unpacklo_epi8(v[0], v[1]), _mm256_unpacklo_epi8(v[2], v[3])};
        const __m256i high[2] = {_mm256_unpackhi_epi8(v[0], v[1]),
                                 _mm256_unpackhi_epi8(v[2], v[3])};
        auto* const at = reinterpret_cast<__m256i*>(to);
        _mm256_store_si256(at, _mm256_unpacklo_epi16(low[0], low[1]));
        _mm256_store_si256(at + 1, _mm256_unpackhi_epi16(low[0], low[1]));
        _mm256_store_si256(at + 2, _mm256_unpacklo_epi16(high[0], high[1]));
        _mm256_store_si256(at + 3, _mm256_unpackhi_epi16(high[0], high[1]));
        to += to_step;
    }
}

// Columns [begin, begin + count) of the source rows, which may lie outside.
template <std::size_t Channels>
void fill(const Packed& packed,
          const Block& block,
          const std::uint8_t* const* rows,
          std::size_t quads,
          std::ptrdiff_t begin,
          std::size_t count,
          std::uint8_t* to) {
    const DepthwiseShape& s = packed.shape;
    const auto [left, middle, first] = columns_inside(s, begin, count);
    const std::size_t column = quads * kQuadBytes;
    for (std::size_t q = 0; q < quads; ++q, to += kQuadBytes) {
        const std::uint8_t* padding[4];
        const std::uint8_t* inside[4];
        for (std::size_t r = 0; r < 4; ++r) {
            padding[r] = packed.padding_row.data() + block.first_channel;
            inside[r] = rows[4 * q + r] + block.first_channel;
            if (middle != 0) {
                inside[r] += first * s.src_pixel_stride;
            }
        }
        interleave_columns<Channels>(padding, 0, left, packed.flip, to, column);
        interleave_columns<Channels>(inside, s.src_pixel_stride, middle, packed.flip,
                                     to + left * column, column);
        interleave_columns<Channels>(padding, 0, count - left - middle, packed.flip,
                                     to + (left + middle) * column, column);
    }
}

void fill_block(const Packed& packed,
                const Block& block,
                const std::uint8_t* const* rows,
                std::size_t quads,
                std::ptrdiff_t begin,
                std::size_t count,
                std::uint8_t* to) {
    block.channels == kQuadChannels
        ? fill<kQuadChannels>(packed, block, rows, quads, begin, count, to)
        : fill<kFewQuadChannels>(packed, block, rows, quads, begin, count, to);
}

// `Pixels` output pixels share the loads of weights.
template <class Product, std::size_t Pixels>
HWY_INLINE void add_windows(const QuadStrip& strip,
                            const std::uint8_t* bytes,
                            std::size_t tap,
                            std::size_t step,
                            QuadSums (&sums)[Pixels]) {
    const D8x32 d;
    unrolled<kQuadVectors>([&](auto i) FUSEQ_HWY_LAMBDA {
        const V32 init = hn::Load(d, strip.block.init + 8 * i);
        unrolled<Pixels>([&](auto p) FUSEQ_HWY_LAMBDA { sums[p].v[i] = init; });
    });
    const std::int8_t* weights = strip.weights;
    for (std::size_t q = 0; q < strip.quads; ++q, bytes += kQuadBytes) {
        const std::uint8_t* from = bytes;
        for (std::size_t k = strip.packed.shape.kernel_width; k != 0; --k) {
            unrolled<kQuadVectors>([&](auto i) FUSEQ_HWY_LAMBDA {
                const V32 w = hn::Load(d, reinterpret_cast<const std::int32_t*>(weights) + 8 * i);
                unrolled<Pixels>([&](auto p) FUSEQ_HWY_LAMBDA {
                    const V32 a =
                        hn::Load(d, reinterpret_cast<const std::int32_t*>(from + p * step) + 8 * i);
                    sums[p].v[i] = Product::add(sums[p].v[i], a, w);
                });
            });
            from += tap;
            weights += kQuadBytes;
        }
    }
}

template <class Product, class Finish>
HWY_NOINLINE void run_strip(const QuadStrip& strip, const Finish& finish) {
    const DepthwiseShape& s = strip.packed.shape;
    const std::size_t column = strip.quads * kQuadBytes;
    const std::size_t tap = s.dilation_width * column;
    const std::size_t step = s.stride_width * column;
    const std::size_t pixel = s.dst_pixel_stride * dst_size(strip.packed.epilogue.store);
    const std::uint8_t* bytes = strip.bytes;
    std::uint8_t* dst = strip.dst;
    std::size_t left = strip.count;
    for (; left >= 2; left -= 2) {
        QuadSums sums[2];
        add_windows<Product>(strip, bytes, tap, step, sums);
        finish(sums[0], dst);
        finish(sums[1], dst + pixel);
        bytes += 2 * step;
        dst += 2 * pixel;
    }
    if (left != 0) {
        QuadSums sums[1];
        add_windows<Product>(strip, bytes, tap, step, sums);
        finish(sums[0], dst);
    }
}

// Vector N of four neighbouring pixels by a kernel three columns wide: a column is loaded once for all
// windows that it is in.
template <class Product, std::size_t Stride, std::size_t N>
HWY_INLINE void sum_four(const QuadStrip& strip,
                         const std::uint8_t* bytes,
                         V32 (&sums)[kPixelsAtOnce]) {
    const D8x32 d;
    const auto load = [&](const void* from, std::size_t at) FUSEQ_HWY_LAMBDA {
        return hn::Load(d, static_cast<const std::int32_t*>(from) + at * kQuadChannels + 8 * N);
    };
    const V32 init = hn::Load(d, strip.block.init + 8 * N);
    unrolled<kPixelsAtOnce>([&](auto p) FUSEQ_HWY_LAMBDA { sums[p] = init; });
    const V32 weights[kThreeColumns] = {load(strip.weights, 0), load(strip.weights, 1),
                                        load(strip.weights, 2)};
    over_three_columns<Stride>([&](auto c) FUSEQ_HWY_LAMBDA { return load(bytes, c); },
                               [&](auto p, auto k, V32 column) FUSEQ_HWY_LAMBDA {
                                   sums[p] = Product::add(sums[p], column, weights[k]);
                               });
}

template <class Product, std::size_t Stride, class Finish>
HWY_NOINLINE void run_strip_of_three(const QuadStrip& strip, const Finish& finish) {
    const DepthwiseShape& s = strip.packed.shape;
    const std::size_t pixel = s.dst_pixel_stride;
    const std::uint8_t* bytes = strip.bytes;
    std::uint8_t* dst = strip.dst;
    const auto words = [&](auto n, __m256i(&to)[kPixelsAtOnce]) FUSEQ_HWY_LAMBDA {
        V32 sums[kPixelsAtOnce];
        sum_four<Product, Stride, n()>(strip, bytes, sums);
        unrolled<kPixelsAtOnce>(
            [&](auto p) FUSEQ_HWY_LAMBDA { to[p] = finish.template integers<n()>(sums[p]); });
    };
    const auto pair = [&](auto n, __m256i(&to)[kPixelsAtOnce]) FUSEQ_HWY_LAMBDA {
        __m256i second[kPixelsAtOnce];
        words(std::integral_constant<std::size_t, n()>{}, to);
        words(std::integral_constant<std::size_t, n() + 1>{}, second);
        unrolled<kPixelsAtOnce>([&](auto p)
                                    FUSEQ_HWY_LAMBDA { to[p] = finish.words(to[p], second[p]); });
    };
    std::size_t left = strip.count;
    for (; left >= kPixelsAtOnce; left -= kPixelsAtOnce) {
        __m256i low[kPixelsAtOnce];
        __m256i high[kPixelsAtOnce];
        pair(std::integral_constant<std::size_t, 0>{}, low);
        pair(std::integral_constant<std::size_t, 2>{}, high);
        unrolled<kPixelsAtOnce>([&](auto p) FUSEQ_HWY_LAMBDA {
            store_words(low[p], high[p], finish.is_signed, finish.channels, dst + p * pixel);
        });
        bytes += kPixelsAtOnce * Stride * kQuadBytes;
        dst += kPixelsAtOnce * pixel;
    }
    if (left != 0) {
        QuadStrip rest = strip;
        rest.count = left;
        rest.bytes = bytes;
        rest.dst = dst;
        run_strip<Product>(rest, finish);
    }
}

template <class Product, class Finish>
HWY_INLINE void run_any_strip(const QuadStrip& strip, const Finish& finish) {
    const DepthwiseShape& s = strip.packed.shape;
    const bool three = strip.quads == 1 && s.kernel_width == 3 && s.dilation_width == 1;
    if (three && s.stride_width == 1) {
        run_strip_of_three<Product, 1>(strip, finish);
    } else if (three && s.stride_width == 2) {
        run_strip_of_three<Product, 2>(strip, finish);
    } else {
        run_strip<Product>(strip, finish);
    }
}

// Without bounds. Rules that many layers have use the loop of few loads.
template <class Product>
void run_by_rule(const QuadStrip& strip) {
    const Epilogue& e = strip.packed.epilogue;
    const __m256i zero_point = _mm256_set1_epi16(e.zero_point);
    with_rule(*e.rule, [&](auto form) FUSEQ_HWY_LAMBDA {
        const RuleFinish<form()> finish{lists_of(strip.block), zero_point, e.store == Store::kI8,
                                        strip.block.channels};
        if constexpr (has_zero_apart(form())) {
            run_any_strip<Product>(strip, finish);
        } else {
            run_strip<Product>(strip, finish);
        }
    });
}

// One or two output rows of an image, all blocks, a strip after the other.
template <class Product>
void run_row(const Packed& packed,
             const std::uint8_t* src,
             std::uint8_t* dst,
             std::size_t row,
             std::size_t output_rows,
             Range blocks) {
    const DepthwiseShape& s = packed.shape;
    alignas(64) std::uint8_t bytes[kQuadBuffer];
    const std::size_t quads = quads_of(s);
    const std::uint8_t* rows[4 * kMaxQuads];
    find_source_rows(packed, src, row, 4 * quads, rows);
    const std::size_t dst_row = dst_row_bytes(packed);
    const auto run = [&](const Block& block, std::ptrdiff_t left, std::size_t count,
                         std::uint8_t* to) {
        fill_block(packed, block, rows, quads, left, columns_of(s, count), bytes);
        for (std::size_t r = 0; r < output_rows; ++r) {
            const QuadStrip strip{
                packed,          block, quads,
                count,           bytes, block.wei + r * quads * s.kernel_width * kQuadBytes,
                to + r * dst_row};
            const Epilogue& e = packed.epilogue;
            const bool is_signed = e.store == Store::kI8;
            if (e.plain) {
                run_any_strip<Product>(
                    strip, PlainFinish{block.scale, block.bias, is_signed, block.channels});
            } else if (e.plain_floats) {
                run_strip<Product>(strip, FloatFinish{block.scale, block.bias, block.channels});
            } else if (e.rule && !e.clip) {
                run_by_rule<Product>(strip);
            } else {
                run_strip<Product>(strip, AnyFinish{packed, block});
            }
        }
    };
    for_strips(packed, dst, row, quad_strip(s), blocks, run);
}

template <class Product>
void run_rows(
    const Packed& packed, const std::uint8_t* src, std::uint8_t* dst, Range rows, Range blocks) {
    for_rows_at_once(packed.shape, rows, [&](std::size_t row, std::size_t count) {
        run_row<Product>(packed, src, dst, row, count, blocks);
    });
}

}  // namespace

RunFunction quads_function(bool vex) {
    return vex ? &run_rows<Vex> : &run_rows<Evex>;
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels::depthwise
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace fuseq::kernels::depthwise {
namespace {

Order quad_order(const DepthwiseShape& s, std::size_t block_channels, std::size_t channels) {
    Order order;
    for (std::size_t i = 0; i < block_channels; ++i) {
        const std::size_t channel = i % 8 / 4 * (block_channels / 2) + i / 8 * 4 + i % 4;
        order.slots.push_back(channel < channels ? static_cast<std::ptrdiff_t>(channel) : -1);
    }
    order.entries = rows_together(s, 4);
    return order;
}

}  // namespace

bool has_quads_form(const DepthwiseShape& shape) {
    const std::size_t channels = shape.src_channels;
    return (channels >= kQuadChannels || channels == kFewQuadChannels) &&
           quads_of(shape) <= kMaxQuads && quad_strip(shape) != 0;
}

Path quads_path() {
    Path path;
#if (HWY_TARGETS & HWY_AVX2) != 0
    path.run = N_AVX2::quads_function(has_avx_vnni());
#endif
    path.name = "dw_quads:vnni256";
    path.block_channels = kQuadChannels;
    path.flips_sign = true;
    path.order = quad_order;
    return path;
}

}  // namespace fuseq::kernels::depthwise
#endif  // HWY_ONCE
