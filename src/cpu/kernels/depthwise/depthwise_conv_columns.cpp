// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution on any target, a strip of output pixels at a time. The source rows that the
// strip reads are widened to 16 bits once and interleaved in pairs of rows, column after column,
// into a buffer in the L1 cache; all windows read their columns there. With a vertical stride of 1
// two output rows share the buffer: of kernel 3 x 3 the pairs (0, 1) and (2, 3) serve both.
#include <algorithm>

#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/depthwise/depthwise_conv_columns.cpp"
#include <utility>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/depthwise/depthwise_conv_portable-inl.h"

namespace fuseq::kernels::depthwise {
#ifndef FUSEQ_DEPTHWISE_COLUMNS
#define FUSEQ_DEPTHWISE_COLUMNS
namespace {

// Of one strip. In the L1 cache with the source and the weights.
constexpr std::size_t kBufferBytes = 32 << 10;
constexpr std::size_t kMaxStrip = 64;        // output pixels
constexpr std::size_t kMinStrip = 4;         // fewer: columns are interleaved too often
constexpr std::size_t kMaxPairs = 32;        // of source rows
constexpr std::size_t kMaxBlockBytes = 128;  // of a column and a pair of rows, on the widest target

// Output rows that share the columns of a strip.
std::size_t rows_at_once(const DepthwiseShape& s) {
    return s.stride_height == 1 && s.dilation_height == 1 ? 2 : 1;
}

std::size_t source_rows(const DepthwiseShape& s) {
    return s.kernel_height + rows_at_once(s) - 1;
}

std::size_t pairs_of(const DepthwiseShape& s) {
    return (source_rows(s) + 1) / 2;
}

// Columns that the windows of so many output pixels read.
std::size_t columns_of(const DepthwiseShape& s, std::size_t pixels) {
    return (pixels - 1) * s.stride_width + (s.kernel_width - 1) * s.dilation_width + 1;
}

// Output pixels of a strip; 0: not even kMinStrip fit.
std::size_t strip_of(const DepthwiseShape& s, std::size_t column_bytes) {
    const std::size_t columns = kBufferBytes / column_bytes;
    const std::size_t window = columns_of(s, 1);
    if (columns < columns_of(s, kMinStrip)) {
        return 0;
    }
    return std::min(kMaxStrip, (columns - window) / s.stride_width + 1);
}

}  // namespace
#endif  // FUSEQ_DEPTHWISE_COLUMNS
}  // namespace fuseq::kernels::depthwise

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels::depthwise {
namespace HWY_NAMESPACE {
namespace {

// Types of blocks of N channels. A column of the buffer has for each pair of rows two vectors of
// interleaved words, of half the channels each.
template <std::size_t N>
struct Types {
    using D16 = hn::FixedTag<std::int16_t, N>;
    using D32 = hn::FixedTag<std::int32_t, N / 2>;
    using DF = hn::FixedTag<float, N / 2>;
    using V16 = hn::Vec<D16>;
    using V32 = hn::Vec<D32>;
    using VF = hn::Vec<DF>;
};

// One output row of a strip, of a block of channels.
struct Strip {
    const Packed& packed;
    const Block& block;
    std::size_t pairs;            // of source rows
    std::size_t count;            // output pixels
    const std::int16_t* words;    // the buffer
    const std::int16_t* weights;  // [pair][column][2][N], of the output row
    std::uint8_t* dst;            // the first pixel
};

// `count` columns of the source rows, `step` bytes apart.
template <std::size_t N, bool Signed>
void fill_columns(const std::uint8_t* const* rows,
                  std::size_t step,
                  std::size_t pairs,
                  std::size_t count,
                  std::size_t channels,
                  std::int16_t* to) {
    const typename Types<N>::D16 d16;
    for (std::size_t p = 0; p < pairs; ++p) {
        const std::uint8_t* upper = rows[2 * p];
        const std::uint8_t* lower = rows[2 * p + 1];
        std::int16_t* at = to + p * 2 * N;
        for (std::size_t i = 0; i < count; ++i) {
            const auto a = load_tap<N, Signed>(upper, channels);
            const auto b = load_tap<N, Signed>(lower, channels);
            hn::Store(hn::InterleaveLower(d16, a, b), d16, at);
            hn::Store(hn::InterleaveUpper(d16, a, b), d16, at + N);
            upper += step;
            lower += step;
            at += pairs * 2 * N;
        }
    }
}

// Columns [begin, begin + count) of the source rows, which may lie outside.
template <std::size_t N, bool Signed>
void fill(const Packed& packed,
          const Block& block,
          const std::uint8_t* const* rows,
          std::size_t pairs,
          std::ptrdiff_t begin,
          std::size_t count,
          std::int16_t* to) {
    const DepthwiseShape& s = packed.shape;
    const auto width = static_cast<std::ptrdiff_t>(s.src_width);
    const std::ptrdiff_t end = begin + static_cast<std::ptrdiff_t>(count);
    const std::ptrdiff_t first = std::clamp<std::ptrdiff_t>(0, begin, end);
    const std::ptrdiff_t last = std::clamp(width, first, end);
    const std::uint8_t* padding[2 * kMaxPairs];
    const std::uint8_t* inside[2 * kMaxPairs];
    for (std::size_t k = 0; k < 2 * pairs; ++k) {
        padding[k] = packed.padding_row.data() + block.first_channel;
        inside[k] = rows[k] + block.first_channel;
        if (first < last) {
            inside[k] += static_cast<std::size_t>(first) * s.src_pixel_stride;
        }
    }
    const std::size_t column = pairs * 2 * N;
    const auto left = static_cast<std::size_t>(first - begin);
    const auto middle = static_cast<std::size_t>(last - first);
    fill_columns<N, Signed>(padding, 0, pairs, left, block.channels, to);
    fill_columns<N, Signed>(inside, s.src_pixel_stride, pairs, middle, block.channels,
                            to + left * column);
    fill_columns<N, Signed>(padding, 0, pairs, count - left - middle, block.channels,
                            to + (left + middle) * column);
}

template <std::size_t N>
HWY_INLINE typename Types<N>::V32 add_products(typename Types<N>::V16 a,
                                               typename Types<N>::V16 b,
                                               typename Types<N>::V32 sum) {
    const typename Types<N>::D32 d;
    auto unused = hn::Zero(d);
    return hn::ReorderWidenMulAccumulate(d, a, b, sum, unused);
}

// The epilogue and the store of a pixel, from the sums of the two halves of its channels.
template <std::size_t N, bool Plain>
HWY_INLINE void finish(const Strip& strip,
                       typename Types<N>::V32 lower,
                       typename Types<N>::V32 upper,
                       std::uint8_t* dst) {
    const typename Types<N>::DF d;
    const Epilogue& e = strip.packed.epilogue;
    const Block& block = strip.block;
    const auto low = hn::ConvertTo(d, lower);
    const auto high = hn::ConvertTo(d, upper);
    if constexpr (Plain) {
        const auto value = [&](typename Types<N>::VF v, std::size_t at) HWY_ATTR {
            return fuseq::kernels::HWY_NAMESPACE::fused_mul_add(d, v, hn::Load(d, block.scale + at),
                                                                hn::Load(d, block.bias + at));
        };
        store_block<N>(e.store, block.channels, value(low, 0), value(high, N / 2), dst);
    } else {
        store_block<N>(e.store, block.channels, finish_value(d, e, block, 0, low),
                       finish_value(d, e, block, N / 2, high), dst);
    }
}

template <std::size_t Count, class V>
struct Vectors {
    V v[Count];
};

// Kernel 3 x 3: two pairs of rows; the weights stay in registers.
constexpr std::size_t kThree = 3;
constexpr std::size_t kEntries = 2 * kThree;

template <std::size_t N, std::size_t... I>
HWY_INLINE void load_weights(Vectors<sizeof...(I), typename Types<N>::V16>& to,
                             const std::int16_t* from,
                             std::index_sequence<I...>) {
    const typename Types<N>::D16 d;
    ((to.v[I] = hn::Load(d, from + I * N)), ...);
}

// `column`: words from one column of the window to the next. Half is 0 or 1.
template <std::size_t N, std::size_t Half, std::size_t... Entry>
HWY_INLINE typename Types<N>::V32 add_window(
    typename Types<N>::V32 sum,
    const Vectors<2 * sizeof...(Entry), typename Types<N>::V16>& weights,
    const std::int16_t* words,
    std::size_t column,
    std::index_sequence<Entry...>) {
    const typename Types<N>::D16 d;
    ((sum = add_products<N>(
          hn::Load(d, words + Entry % kThree * column + (Entry / kThree * 2 + Half) * N),
          weights.v[2 * Entry + Half], sum)),
     ...);
    return sum;
}

template <std::size_t N, bool Plain>
HWY_NOINLINE void run_3x3(const Strip& strip) {
    constexpr auto kAll = std::make_index_sequence<kEntries>{};
    const typename Types<N>::D32 d;
    const DepthwiseShape& s = strip.packed.shape;
    Vectors<2 * kEntries, typename Types<N>::V16> weights;
    load_weights<N>(weights, strip.weights, std::make_index_sequence<2 * kEntries>{});
    constexpr std::size_t kColumn = 2 * 2 * N;
    const std::size_t tap = s.dilation_width * kColumn;
    const std::size_t step = s.stride_width * kColumn;
    const std::size_t pixel = s.dst_pixel_stride * dst_size(strip.packed.epilogue.store);
    const std::int32_t* const init = strip.block.init;
    const std::int16_t* words = strip.words;
    std::uint8_t* dst = strip.dst;
    for (std::size_t i = strip.count; i != 0; --i) {
        const auto lower = add_window<N, 0>(hn::Load(d, init), weights, words, tap, kAll);
        const auto upper = add_window<N, 1>(hn::Load(d, init + N / 2), weights, words, tap, kAll);
        finish<N, Plain>(strip, lower, upper, dst);
        words += step;
        dst += pixel;
    }
}

// Any kernel: weights from memory.
template <std::size_t N, bool Plain>
HWY_NOINLINE void run_any(const Strip& strip) {
    const typename Types<N>::D16 d16;
    const typename Types<N>::D32 d;
    const DepthwiseShape& s = strip.packed.shape;
    const std::size_t column = strip.pairs * 2 * N;
    const std::size_t tap = s.dilation_width * column;
    const std::size_t step = s.stride_width * column;
    const std::size_t pixel = s.dst_pixel_stride * dst_size(strip.packed.epilogue.store);
    const std::int16_t* words = strip.words;
    std::uint8_t* dst = strip.dst;
    for (std::size_t i = strip.count; i != 0; --i) {
        auto lower = hn::Load(d, strip.block.init);
        auto upper = hn::Load(d, strip.block.init + N / 2);
        const std::int16_t* weights = strip.weights;
        for (std::size_t p = 0; p < strip.pairs; ++p) {
            const std::int16_t* from = words + p * 2 * N;
            for (std::size_t k = 0; k < s.kernel_width; ++k) {
                lower = add_products<N>(hn::Load(d16, from), hn::Load(d16, weights), lower);
                upper = add_products<N>(hn::Load(d16, from + N), hn::Load(d16, weights + N), upper);
                from += tap;
                weights += 2 * N;
            }
        }
        finish<N, Plain>(strip, lower, upper, dst);
        words += step;
        dst += pixel;
    }
}

template <std::size_t N>
void run_strip(const Strip& strip) {
    const bool plain = strip.packed.epilogue.plain || strip.packed.epilogue.plain_floats;
    if (strip.pairs == 2 && strip.packed.shape.kernel_width == kThree) {
        plain ? run_3x3<N, true>(strip) : run_3x3<N, false>(strip);
    } else {
        plain ? run_any<N, true>(strip) : run_any<N, false>(strip);
    }
}

// One or two output rows of an image, all blocks, a strip after the other.
template <std::size_t N, bool Signed>
void run_row(const Packed& packed,
             const std::uint8_t* src,
             std::uint8_t* dst,
             std::size_t row,
             std::size_t output_rows,
             Range blocks) {
    const DepthwiseShape& s = packed.shape;
    alignas(64) std::int16_t words[kBufferBytes / sizeof(std::int16_t)];
    const std::size_t pairs = pairs_of(s);
    const std::size_t strip = strip_of(s, pairs * 2 * N * sizeof(std::int16_t));
    const std::uint8_t* rows[2 * kMaxPairs];
    const std::size_t image = row / s.dst_height;
    const auto top = static_cast<std::ptrdiff_t>(row % s.dst_height * s.stride_height) - s.pad_top;
    for (std::size_t k = 0; k < 2 * pairs; ++k) {
        const std::size_t used = std::min(k, source_rows(s) - 1);  // without a partner: any row
        rows[k] = src_row(packed, src, image,
                          top + static_cast<std::ptrdiff_t>(used * s.dilation_height));
    }
    const std::size_t element = dst_size(packed.epilogue.store);
    const std::size_t dst_row = s.dst_width * s.dst_pixel_stride * element;
    for (std::size_t x = 0; x < s.dst_width; x += strip) {
        const std::size_t count = std::min(strip, s.dst_width - x);
        const auto left = static_cast<std::ptrdiff_t>(x * s.stride_width) - s.pad_left;
        for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
            const Block& block = packed.blocks[b];
            fill<N, Signed>(packed, block, rows, pairs, left, columns_of(s, count), words);
            std::uint8_t* const to =
                dst + row * dst_row + (x * s.dst_pixel_stride + block.first_channel) * element;
            const auto* weights = reinterpret_cast<const std::int16_t*>(block.wei);
            for (std::size_t r = 0; r < output_rows; ++r) {
                run_strip<N>({packed, block, pairs, count, words, weights, to + r * dst_row});
                weights += pairs * s.kernel_width * 2 * N;
            }
        }
    }
}

template <std::size_t N, bool Signed>
void run_rows(
    const Packed& packed, const std::uint8_t* src, std::uint8_t* dst, Range rows, Range blocks) {
    const std::size_t most = rows_at_once(packed.shape);
    while (rows.begin < rows.end) {
        const std::size_t in_image = packed.shape.dst_height - rows.begin % packed.shape.dst_height;
        const std::size_t count = std::min({most, in_image, rows.end - rows.begin});
        run_row<N, Signed>(packed, src, dst, rows.begin, count, blocks);
        rows.begin += count;
    }
}

template <std::size_t N, bool Signed>
struct Columns {
    static constexpr RunFunction kRun = &run_rows<N, Signed>;
};

PortableRun choose_columns(std::size_t channels, bool is_signed) {
    return choose_block<Columns>(channels, is_signed);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels::depthwise
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels::depthwise {

HWY_EXPORT(choose_columns);

namespace {

// For each output row that shares the columns, pair of source rows and column of the kernel: the
// weights of the two rows. The channels are those of pairs of taps.
Order column_order(const DepthwiseShape& s, std::size_t block_channels, std::size_t channels) {
    Order order;
    order.bytes_per_tap = 2;
    order.slots = interleaved_slots(block_channels, channels);
    const auto height = static_cast<std::ptrdiff_t>(s.kernel_height);
    for (std::size_t row = 0; row < rows_at_once(s); ++row) {
        for (std::size_t pair = 0; pair < pairs_of(s); ++pair) {
            for (std::size_t column = 0; column < s.kernel_width; ++column) {
                Taps taps(2);
                for (std::size_t i = 0; i < 2; ++i) {
                    const auto tap = static_cast<std::ptrdiff_t>(2 * pair + i) -
                                     static_cast<std::ptrdiff_t>(row);
                    if (tap >= 0 && tap < height) {
                        taps[i] = {tap, static_cast<std::ptrdiff_t>(column)};
                    }
                }
                order.entries.push_back({std::move(taps)});
            }
        }
    }
    return order;
}

}  // namespace

bool has_columns_form(const DepthwiseShape& shape) {
    return pairs_of(shape) <= kMaxPairs && strip_of(shape, pairs_of(shape) * kMaxBlockBytes) != 0;
}

Path columns_path(const DepthwiseShape& shape, bool src_signed) {
    const PortableRun chosen = HWY_DYNAMIC_DISPATCH(choose_columns)(shape.src_channels, src_signed);
    Path path;
    path.run = chosen.run;
    path.name = std::string("dw_columns:") + chosen.target;
    path.block_channels = chosen.block_channels;
    path.max_alone = 0;
    path.order = column_order;
    return path;
}

}  // namespace fuseq::kernels::depthwise
#endif  // HWY_ONCE
