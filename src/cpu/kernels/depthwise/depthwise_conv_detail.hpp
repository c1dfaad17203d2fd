// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the depthwise kernel share. Private to them.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/kernels/depthwise/depthwise_conv.hpp"

namespace fuseq::kernels::depthwise {

struct Packed;
// rows and blocks are not empty and within bounds.
using RunFunction = void (*)(
    const Packed& packed, const std::uint8_t* src, std::uint8_t* dst, Range rows, Range blocks);

enum class Store : std::uint8_t { kU8, kI8, kF32 };

struct Epilogue {
    Store store = Store::kU8;
    bool slope = false;
    bool clip = false;          // also set when float -> int32 could overflow otherwise
    bool plain = false;         // none of these, and an integer store
    bool plain_floats = false;  // the same with floats
    std::optional<DepthwiseElu> elu{};
    // With the rest of the scale in place of a slope. None: `plain`, also of kOneFloor.
    std::optional<RuleForm> rule{};
    std::int16_t zero_point = 0;  // of kReal and kMirrored
    std::int8_t low_byte = 0;     // of rules; the bytes of u8 too
    std::int8_t high_byte = 0;
    float shift = 0.0f;
    float low = 0.0f;
    float high = 0.0f;
};

// One block of channels. Constants have `slots` values in the order of the path's accumulators;
// slots without a channel hold zeros.
struct Block {
    std::size_t first_channel = 0;
    std::size_t channels = 0;
    const std::uint8_t* packed =
        nullptr;  // init, scale, bias, slope or rest, below, wei, one after the other
    const std::int8_t* wei = nullptr;
    const std::int32_t* init = nullptr;  // offset - src_zero_point * sum of weights
    const float* scale = nullptr;
    const float* bias = nullptr;
    const float* slope = nullptr;  // or rest
    const float* below = nullptr;
    bool float_sums = false;  // init, scale and bias are those of float_sum.hpp
};

struct Packed {
    DepthwiseShape shape;  // strides filled in
    Epilogue epilogue;
    std::uint8_t flip = 0;                    // xor of src bytes: 0x80 turns i8 into u8 (VNNI path)
    bool src_signed = false;                  // (portable path)
    bool zero_padding = false;                // padding_row is zeros, after the flip too
    AlignedVector<std::uint8_t> padding_row;  // a row outside of src: zero points
    AlignedVector<std::uint8_t> memory;       // what the blocks point to
    std::vector<Block> blocks;
    std::optional<FloatRounding> rounding{};  // of the thread
    bool overlaps = false;  // the last two blocks share channels: both belong to one thread
    std::size_t fast_rows = 2;
    std::size_t even_rows = 2;
    RunFunction run = nullptr;
    std::string implementation;
};

// A source row of an image; rows outside of src are the padding row.
inline const std::uint8_t* src_row(const Packed& packed,
                                   const std::uint8_t* src,
                                   std::size_t image,
                                   std::ptrdiff_t y) {
    const DepthwiseShape& s = packed.shape;
    if (y < 0 || y >= static_cast<std::ptrdiff_t>(s.src_height)) {
        return packed.padding_row.data();
    }
    return src +
           (image * s.src_height + static_cast<std::size_t>(y)) * s.src_width * s.src_pixel_stride;
}

// The addresses of all taps of one output pixel, row by row, at a channel.
inline constexpr std::size_t kMaxTaps = 256;
inline void collect_taps(const Packed& packed,
                         const std::uint8_t* src,
                         std::size_t image,
                         std::size_t dst_y,
                         std::size_t dst_x,
                         std::size_t channel,
                         const std::uint8_t** taps) {
    const DepthwiseShape& s = packed.shape;
    const auto top = static_cast<std::ptrdiff_t>(dst_y * s.stride_height) - s.pad_top;
    const auto left = static_cast<std::ptrdiff_t>(dst_x * s.stride_width) - s.pad_left;
    for (std::size_t ky = 0; ky < s.kernel_height; ++ky) {
        const auto y = top + static_cast<std::ptrdiff_t>(ky * s.dilation_height);
        const std::uint8_t* row = src_row(packed, src, image, y);
        const bool row_outside = y < 0 || y >= static_cast<std::ptrdiff_t>(s.src_height);
        for (std::size_t kx = 0; kx < s.kernel_width; ++kx) {
            const auto x = left + static_cast<std::ptrdiff_t>(kx * s.dilation_width);
            const bool outside =
                row_outside || x < 0 || x >= static_cast<std::ptrdiff_t>(s.src_width);
            *taps++ = outside ? packed.padding_row.data() + channel
                              : row + static_cast<std::size_t>(x) * s.src_pixel_stride + channel;
        }
    }
}

inline std::size_t dst_size(Store store) {
    return store == Store::kF32 ? sizeof(float) : 1;
}

// The layout of the constants of a block that a path needs.
struct Tap {
    std::ptrdiff_t row = -1;  // -1: no tap, weight zero
    std::ptrdiff_t column = -1;
};
using Taps = std::vector<Tap>;
// One list of taps for all slots, or several for as many equal shares of the slots.
using Entry = std::vector<Taps>;
struct Order {
    // Channel within the block of each slot, -1 for none. Per-channel vectors have this order.
    std::vector<std::ptrdiff_t> slots;
    // Weights: for each entry, for each slot, the weights of the entry's taps.
    std::vector<Entry> entries;
    std::size_t bytes_per_tap = 1;  // 1 or 2
};

// An implementation, chosen for a shape.
struct Path {
    RunFunction run = nullptr;
    std::string name;
    std::size_t block_channels = 0;
    bool flips_sign = false;  // wants u8: i8 is xored with 0x80
    // If more channels than this remain after full blocks, they are a full block that overlaps the
    // one before.
    std::size_t max_alone = 0;
    bool float_sums = false;  // supports Block::float_sums, for u8 without flip
    bool stores_elus = false;
    bool rounds_itself = false;  // instructions for rules choose how they do (AVX-512)
    std::size_t fast_rows = 2;   // see DepthwiseConv
    std::size_t even_rows = 2;   // the same for the last block, of few channels
    // Of a block of `channels` channels.
    Order (*order)(const DepthwiseShape& shape,
                   std::size_t block_channels,
                   std::size_t channels) = nullptr;
};

// kStrips: depthwise_conv_pairs-inl.h for 3x3, depthwise_conv_strip-inl.h for 5x5. kFlat, for the
// shapes that has_flat_form(): depthwise_conv_flat-inl.h.
enum class VnniForm : std::uint8_t { kStrips, kFlat };
Path vnni_path(const DepthwiseShape& shape, VnniForm form);
bool has_flat_form(const DepthwiseShape& shape);
void run_vnni_flat_3x3(const Packed&, const std::uint8_t*, std::uint8_t*, Range, Range);
// Kernels of Size x Size in strips. src/cpu/kernels/CMakeLists.txt lists the instances.
template <std::size_t Size, std::size_t Stride>
void run_vnni(const Packed&, const std::uint8_t*, std::uint8_t*, Range, Range);
// Bound to the best target that Highway has enabled now.
struct PortableRun {
    RunFunction run = nullptr;
    std::size_t block_channels = 0;
    const char* target = "";
};
// Order::slots after two vectors of words are interleaved: channels 8i .. 8i+3 are in the lower
// half of the results, 8i+4 .. 8i+7 in the upper one.
std::vector<std::ptrdiff_t> interleaved_slots(std::size_t block_channels, std::size_t channels);
// Output rows that share the columns of a strip of source rows, which quads and columns interleave.
inline std::size_t rows_at_once(const DepthwiseShape& s) {
    return s.stride_height == 1 && s.dilation_height == 1 ? 2 : 1;
}
inline std::size_t source_rows(const DepthwiseShape& s) {
    return s.kernel_height + rows_at_once(s) - 1;
}
// Columns that the windows of so many output pixels read.
inline std::size_t columns_of(const DepthwiseShape& s, std::size_t pixels) {
    return (pixels - 1) * s.stride_width + (s.kernel_width - 1) * s.dilation_width + 1;
}
// Which of the columns [begin, begin + count) lie in the source.
struct ColumnsInside {
    std::size_t left;    // columns before it
    std::size_t middle;  // in it
    std::size_t first;   // the first of these
};
inline ColumnsInside columns_inside(const DepthwiseShape& s,
                                    std::ptrdiff_t begin,
                                    std::size_t count) {
    const std::ptrdiff_t end = begin + static_cast<std::ptrdiff_t>(count);
    const std::ptrdiff_t first = std::clamp<std::ptrdiff_t>(0, begin, end);
    const std::ptrdiff_t last = std::clamp(static_cast<std::ptrdiff_t>(s.src_width), first, end);
    return {static_cast<std::size_t>(first - begin), static_cast<std::size_t>(last - first),
            static_cast<std::size_t>(first)};
}
// The first `count` source rows of output row `row` and those that share its columns; beyond
// source_rows(), which have no weights, any row.
inline void find_source_rows(const Packed& packed,
                             const std::uint8_t* src,
                             std::size_t row,
                             std::size_t count,
                             const std::uint8_t** rows) {
    const DepthwiseShape& s = packed.shape;
    const std::size_t image = row / s.dst_height;
    const auto top = static_cast<std::ptrdiff_t>(row % s.dst_height * s.stride_height) - s.pad_top;
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t used = std::min(k, source_rows(s) - 1);
        rows[k] = src_row(packed, src, image,
                          top + static_cast<std::ptrdiff_t>(used * s.dilation_height));
    }
}
// function(first row, number of rows) for output rows that share their columns.
template <class Function>
void for_rows_at_once(const DepthwiseShape& s, Range rows, const Function& function) {
    while (rows.begin < rows.end) {
        const std::size_t in_image = s.dst_height - rows.begin % s.dst_height;
        const std::size_t count = std::min({rows_at_once(s), in_image, rows.end - rows.begin});
        function(rows.begin, count);
        rows.begin += count;
    }
}
inline std::size_t dst_row_bytes(const Packed& packed) {
    const DepthwiseShape& s = packed.shape;
    return s.dst_width * s.dst_pixel_stride * dst_size(packed.epilogue.store);
}
// function(block, left, count, to) for each strip of `strip` pixels of output row `row` and each block
// of channels. left: the first column that its windows read, which may lie outside; count: pixels;
// to: where the first one is stored.
template <class Function>
void for_strips(const Packed& packed,
                std::uint8_t* dst,
                std::size_t row,
                std::size_t strip,
                Range blocks,
                const Function& function) {
    const DepthwiseShape& s = packed.shape;
    const std::size_t element = dst_size(packed.epilogue.store);
    for (std::size_t x = 0; x < s.dst_width; x += strip) {
        const std::size_t count = std::min(strip, s.dst_width - x);
        const auto left = static_cast<std::ptrdiff_t>(x * s.stride_width) - s.pad_left;
        for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
            const Block& block = packed.blocks[b];
            function(block, left, count,
                     dst + row * dst_row_bytes(packed) +
                         (x * s.dst_pixel_stride + block.first_channel) * element);
        }
    }
}
// Order::entries where rows_at_once() output rows share columns of which `together` rows
// lie beside each other: for each output row, group of source rows and column of the kernel, the
// weights of the rows of the group.
std::vector<Entry> rows_together(const DepthwiseShape& shape, std::size_t together);
Path portable_path(const DepthwiseShape& shape, bool src_signed);
// depthwise_conv_columns.cpp, where a strip of windows fits into its buffer.
bool has_columns_form(const DepthwiseShape& shape);
Path columns_path(const DepthwiseShape& shape, bool src_signed);
// depthwise_conv_quads.cpp, where there are a block of channels, or the few, and such a buffer.
inline constexpr std::size_t kQuadChannels = 32;
inline constexpr std::size_t kFewQuadChannels = 24;
inline constexpr std::size_t kQuadVectors = 4;  // of a block: four bytes of each channel
bool has_quads_form(const DepthwiseShape& shape);
Path quads_path();

}  // namespace fuseq::kernels::depthwise
