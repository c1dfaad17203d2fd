// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution on any target, a strip of output pixels at a time. The source rows that the
// strip reads are widened to 16 bits once and interleaved in pairs of rows, column after column,
// into a buffer in the L1 cache; all windows read their columns there. With a vertical stride of 1
// two output rows share the buffer: of kernel 3 x 3 the pairs (0, 1) and (2, 3) serve both.
#include <algorithm>
#include <optional>
#include <utility>

#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/depthwise/depthwise_conv_columns.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/hwy_unrolled-inl.h"
#include "cpu/kernels/depthwise/depthwise_conv_portable-inl.h"
#include "cpu/kernels/depthwise/depthwise_three_columns-inl.h"

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

std::size_t pairs_of(const DepthwiseShape& s) {
    return (source_rows(s) + 1) / 2;
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
    const auto [left, middle, first] = columns_inside(s, begin, count);
    const std::uint8_t* padding[2 * kMaxPairs];
    const std::uint8_t* inside[2 * kMaxPairs];
    for (std::size_t k = 0; k < 2 * pairs; ++k) {
        padding[k] = packed.padding_row.data() + block.first_channel;
        inside[k] = rows[k] + block.first_channel;
        if (middle != 0) {
            inside[k] += first * s.src_pixel_stride;
        }
    }
    const std::size_t column = pairs * 2 * N;
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

// The sums of a pixel, of the two halves of its channels.
template <std::size_t N>
struct Sums {
    typename Types<N>::V32 lower, upper;
};

// The epilogue and the store of a pixel by a rule, without bounds. Copies of what it needs: for the
// compiler a store might change the strip.
template <std::size_t N>
struct SomeRule {
    explicit SomeRule(const Strip& strip)
        : lists(lists_of(strip.block)),
          zero_point(hn::Set(typename Types<N>::D16(), strip.packed.epilogue.zero_point)),
          channels(strip.block.channels),
          store(strip.packed.epilogue.store) {}

    template <RuleForm F>
    HWY_INLINE void finish(const Sums<N>& sums, std::uint8_t* dst) const {
        const typename Types<N>::DF d;
        const auto low = value_before_zero<F>(d, lists, 0, hn::ConvertTo(d, sums.lower));
        const auto high = value_before_zero<F>(d, lists, N / 2, hn::ConvertTo(d, sums.upper));
        auto words = to_words<N>(low, high);
        if constexpr (has_zero_apart(F)) {
            words = hn::SaturatedAdd(words, zero_point);
        }
        store_words<N>(store, channels, words, dst);
    }

    fuseq::kernels::HWY_NAMESPACE::RuleLists lists;
    typename Types<N>::V16 zero_point;
    std::size_t channels;
    Store store;
};
template <std::size_t N, RuleForm F>
struct RuleFinish : SomeRule<N> {
    using SomeRule<N>::SomeRule;
    HWY_INLINE void operator()(const Sums<N>& sums, std::uint8_t* dst) const {
        this->template finish<F>(sums, dst);
    }
};

// The same, plain or any.
template <std::size_t N, bool Plain>
struct Finish {
    explicit Finish(const Strip& strip)
        : epilogue(strip.packed.epilogue),
          block(strip.block),
          scale(block.scale),
          bias(block.bias),
          by_rule(strip),
          rule(epilogue.clip ? std::nullopt : epilogue.rule),
          channels(block.channels),
          store(epilogue.store) {}

    HWY_INLINE void operator()(const Sums<N>& sums, std::uint8_t* dst) const {
        const typename Types<N>::DF d;
        const auto low = hn::ConvertTo(d, sums.lower);
        const auto high = hn::ConvertTo(d, sums.upper);
        if constexpr (Plain) {
            using fuseq::kernels::HWY_NAMESPACE::fused_mul_add;
            store_block<N>(
                store, channels, fused_mul_add(d, low, hn::Load(d, scale), hn::Load(d, bias)),
                fused_mul_add(d, high, hn::Load(d, scale + N / 2), hn::Load(d, bias + N / 2)), dst);
        } else if (rule) {
            with_rule(*rule, [&](auto form)
                                 FUSEQ_HWY_LAMBDA { by_rule.template finish<form()>(sums, dst); });
        } else {
            store_block<N>(store, channels, finish_value(d, epilogue, block, 0, low),
                           finish_value(d, epilogue, block, N / 2, high), dst);
        }
    }

    const Epilogue& epilogue;
    const Block& block;
    const float* scale;
    const float* bias;
    SomeRule<N> by_rule;
    std::optional<RuleForm> rule;  // without bounds
    std::size_t channels;
    Store store;
};

// Where the windows of a strip find their words. Pairs of rows and columns of the kernel are known
// at compile time where they are not 0.
template <std::size_t N, std::size_t Pairs, std::size_t Width>
struct Windows {
    explicit Windows(const Strip& strip)
        : some_pairs(strip.pairs),
          some_width(strip.packed.shape.kernel_width),
          tap(strip.packed.shape.dilation_width * pairs() * 2 * N),
          step(strip.packed.shape.stride_width * pairs() * 2 * N) {}
    std::size_t pairs() const { return Pairs != 0 ? Pairs : some_pairs; }
    std::size_t width() const { return Width != 0 ? Width : some_width; }
    std::size_t some_pairs, some_width;
    std::size_t tap;   // words from a column of the kernel to the next
    std::size_t step;  // words from a pixel to the next
};

// `Pixels` neighbours share the loads of weights.
template <std::size_t N, std::size_t Pixels, std::size_t Pairs, std::size_t Width>
HWY_INLINE void add_windows(const Strip& strip,
                            const Windows<N, Pairs, Width>& windows,
                            const std::int16_t* words,
                            Sums<N> (&sums)[Pixels]) {
    const typename Types<N>::D16 d16;
    const typename Types<N>::D32 d;
    for (Sums<N>& s : sums) {
        s = {hn::Load(d, strip.block.init), hn::Load(d, strip.block.init + N / 2)};
    }
    const std::int16_t* weights = strip.weights;
    for (std::size_t p = 0; p < windows.pairs(); ++p, words += 2 * N) {
        const std::int16_t* from = words;
        for (std::size_t k = 0; k < windows.width(); ++k) {
            const auto lower = hn::Load(d16, weights);
            const auto upper = hn::Load(d16, weights + N);
            for (std::size_t i = 0; i < Pixels; ++i) {
                const std::int16_t* const at = from + i * windows.step;
                sums[i].lower = add_products<N>(hn::Load(d16, at), lower, sums[i].lower);
                sums[i].upper = add_products<N>(hn::Load(d16, at + N), upper, sums[i].upper);
            }
            from += windows.tap;
            weights += 2 * N;
        }
    }
}

template <std::size_t N, class Finish, std::size_t Pairs, std::size_t Width>
HWY_NOINLINE void run_windows(const Strip& strip) {
    const Finish finish(strip);
    const Windows<N, Pairs, Width> windows(strip);
    const std::size_t pixel =
        strip.packed.shape.dst_pixel_stride * dst_size(strip.packed.epilogue.store);
    const std::int16_t* words = strip.words;
    std::uint8_t* dst = strip.dst;
    std::size_t left = strip.count;
    for (; left >= 2; left -= 2) {
        Sums<N> sums[2];
        add_windows<N>(strip, windows, words, sums);
        finish(sums[0], dst);
        finish(sums[1], dst + pixel);
        words += 2 * windows.step;
        dst += 2 * pixel;
    }
    if (left != 0) {
        Sums<N> sums[1];
        add_windows<N>(strip, windows, words, sums);
        finish(sums[0], dst);
    }
}

// Half `Half` of the channels of four neighbouring pixels, by a kernel of three columns and two pairs
// of rows: words are loaded once for all windows that they are in.
template <std::size_t N, std::size_t Stride, std::size_t Half>
HWY_INLINE void sum_four(const Strip& strip,
                         const std::int16_t* words,
                         typename Types<N>::V32 (&sums)[kPixelsAtOnce]) {
    constexpr std::size_t kPairs = 2;
    using fuseq::kernels::HWY_NAMESPACE::unrolled;
    const typename Types<N>::D16 d16;
    const auto init = hn::Load(typename Types<N>::D32(), strip.block.init + Half * (N / 2));
    unrolled<kPixelsAtOnce>([&](auto p) FUSEQ_HWY_LAMBDA { sums[p] = init; });
    unrolled<kPairs>([&](auto pair) FUSEQ_HWY_LAMBDA {
        typename Types<N>::V16 weights[kThreeColumns];
        unrolled<kThreeColumns>([&](auto k) FUSEQ_HWY_LAMBDA {
            weights[k] = hn::Load(d16, strip.weights + ((pair * kThreeColumns + k) * 2 + Half) * N);
        });
        over_three_columns<Stride>(
            [&](auto c) FUSEQ_HWY_LAMBDA {
                return hn::Load(d16, words + ((c * kPairs + pair) * 2 + Half) * N);
            },
            [&](auto p, auto k, auto column)
                FUSEQ_HWY_LAMBDA { sums[p] = add_products<N>(column, weights[k], sums[p]); });
    });
}

template <std::size_t N, class Finish, std::size_t Stride>
HWY_NOINLINE void run_three_columns(const Strip& strip) {
    const Finish finish(strip);
    const std::size_t pixel =
        strip.packed.shape.dst_pixel_stride * dst_size(strip.packed.epilogue.store);
    Strip rest = strip;
    for (; rest.count >= kPixelsAtOnce; rest.count -= kPixelsAtOnce) {
        typename Types<N>::V32 lower[kPixelsAtOnce];
        typename Types<N>::V32 upper[kPixelsAtOnce];
        sum_four<N, Stride, 0>(strip, rest.words, lower);
        sum_four<N, Stride, 1>(strip, rest.words, upper);
        fuseq::kernels::HWY_NAMESPACE::unrolled<kPixelsAtOnce>([&](auto p) FUSEQ_HWY_LAMBDA {
            finish(Sums<N>{lower[p], upper[p]}, rest.dst + p * pixel);
        });
        rest.dst += kPixelsAtOnce * pixel;
        rest.words += kPixelsAtOnce * Stride * 2 * 2 * N;
    }
    if (rest.count != 0) {
        run_windows<N, Finish, 2, 3>(rest);
    }
}

template <std::size_t N, class Finish>
void run_with(const Strip& strip) {
    const DepthwiseShape& s = strip.packed.shape;
    if (strip.pairs != 2 || s.kernel_width != 3) {
        run_windows<N, Finish, 0, 0>(strip);
    } else if (s.dilation_width == 1 && s.stride_width == 1) {
        run_three_columns<N, Finish, 1>(strip);
    } else if (s.dilation_width == 1 && s.stride_width == 2) {
        run_three_columns<N, Finish, 2>(strip);
    } else {
        run_windows<N, Finish, 2, 3>(strip);
    }
}

// Rules that many layers have are known at compile time.
template <std::size_t N>
void run_strip(const Strip& strip) {
    const Epilogue& e = strip.packed.epilogue;
    [[maybe_unused]] const bool has_rule = e.rule && !e.clip;
    if (e.plain || e.plain_floats) {
        run_with<N, Finish<N, true>>(strip);
#if HWY_TARGET <= HWY_AVX2
    } else if (has_rule && *e.rule == RuleForm::kMirrored) {
        run_with<N, RuleFinish<N, RuleForm::kMirrored>>(strip);
    } else if (has_rule && *e.rule == RuleForm::kReal) {
        run_with<N, RuleFinish<N, RuleForm::kReal>>(strip);
#endif
    } else {
        run_with<N, Finish<N, false>>(strip);
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
    const std::uint8_t* rows[2 * kMaxPairs];
    find_source_rows(packed, src, row, 2 * pairs, rows);
    const std::size_t dst_row = dst_row_bytes(packed);
    const auto run = [&](const Block& block, std::ptrdiff_t left, std::size_t count,
                         std::uint8_t* to) {
        fill<N, Signed>(packed, block, rows, pairs, left, columns_of(s, count), words);
        const auto* weights = reinterpret_cast<const std::int16_t*>(block.wei);
        for (std::size_t r = 0; r < output_rows; ++r) {
            run_strip<N>({packed, block, pairs, count, words, weights, to + r * dst_row});
            weights += pairs * s.kernel_width * 2 * N;
        }
    };
    for_strips(packed, dst, row, strip_of(s, pairs * 2 * N * sizeof(std::int16_t)), blocks, run);
}

template <std::size_t N, bool Signed>
void run_rows(
    const Packed& packed, const std::uint8_t* src, std::uint8_t* dst, Range rows, Range blocks) {
    for_rows_at_once(packed.shape, rows, [&](std::size_t row, std::size_t count) {
        run_row<N, Signed>(packed, src, dst, row, count, blocks);
    });
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

// The channels are those of pairs of taps.
Order column_order(const DepthwiseShape& s, std::size_t block_channels, std::size_t channels) {
    Order order;
    order.bytes_per_tap = 2;
    order.slots = interleaved_slots(block_channels, channels);
    order.entries = rows_together(s, 2);
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
