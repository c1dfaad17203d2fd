// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How small_conv.cpp cuts a convolution of few channels into tiles, and the source rows of a tile:
// where they lie in memory, or copied with their padding into a ring in the L1 cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "cpu/kernels/common/copy_flipped.hpp"
#include "cpu/kernels/common/range.hpp"
#include "cpu/kernels/small_conv/small_conv_detail.hpp"

namespace fuseq::kernels::small_conv {

inline constexpr std::size_t kRingBytes = 96 << 10;  // on the stack
inline constexpr std::size_t kMaxQuads = 256;        // of one row of a window

inline std::size_t ceil_div(std::size_t a, std::size_t b) {
    return (a + b - 1) / b;
}

// Bytes from one window to the next.
inline std::size_t pixel_step(const SmallConvShape& s) {
    return s.src_channels * s.stride_width;
}

// Whether the kernel is channel-vectorized.
inline bool is_channel_vectorized(const SmallConvShape& s) {
    return s.dst_channels > kSmallConvChannels;
}

// Vectors of output channels: 1, 2 or 4.
inline std::size_t lane_vectors(const SmallConvShape& s) {
    const std::size_t vectors = ceil_div(s.dst_channels, kLanes);
    return vectors == 3 ? 4 : vectors;
}

// Whether four bytes of a pixel are loaded once for the three windows that they belong to. With
// more than one vector of channels a load serves several products as it is.
inline bool shares_loads(const SmallConvShape& s) {
    return lane_vectors(s) == 1 && s.kernel_width == 3 && s.stride_width == 1 &&
           s.dilation_width == 1 && s.src_channels % kQuad == 0;
}

// Whether there is code for the distance of two windows. It is a constant of the code, and each costs
// seconds to compile, so that only those are there that networks have
// (docs/performance/log/variants.md).
inline bool has_step(const SmallConvShape& s) {
    const std::size_t step = pixel_step(s);
    const bool by_pixels = step == 3 || step == 6;  // of three bytes
    switch (lane_vectors(s)) {
        case 1: return by_pixels || (shares_loads(s) && (step == 8 || step == 16));
        case 2: return by_pixels || step == 8 || step == 16;
        default: return by_pixels;
    }
}
// The same with a MaxPool of 2 x 2.
inline bool has_pooled_step(const SmallConvShape& s) {
    const std::size_t step = pixel_step(s);
    return lane_vectors(s) == 1 ? step == 3 : lane_vectors(s) == 2 && (step == 3 || step == 16);
}

// Pixels that one function computes at once.
inline std::size_t lane_tile(const SmallConvShape& s) {
    return channel_vector_tile_of(lane_vectors(s));
}

// More of a pixel than a lane of a vector has: windows are collected a lane at a time.
inline constexpr std::size_t kLaneBytes = 4 * kQuad;
inline bool lies_apart(const SmallConvShape& s) {
    constexpr std::size_t kMaxApart = 64;
    const std::size_t step = pixel_step(s);
    return !is_channel_vectorized(s) && step > kLaneBytes && step % kLaneBytes == 0 &&
           step <= kMaxApart;
}

// What is read after the last window.
inline std::size_t slack_bytes(const SmallConvShape& s) {
    constexpr std::size_t kSlack = 320;
    if (lies_apart(s)) {
        return 2 * kLanes * pixel_step(s) + kSlack;
    }
    return is_channel_vectorized(s) ? (lane_tile(s) + kLanes) * pixel_step(s) + kSlack : kSlack;
}

// Pixels of a row that are given to the receiver at once.
inline std::size_t tile_pixels(const SmallConvShape& s) {
    return is_channel_vectorized(s) ? kMaxChannelVectorTile / lane_tile(s) * lane_tile(s)
                                    : kSmallConvTile;
}

// Steps that are whole lanes are loaded as they lie.
inline bool lies_in_chunks(const SmallConvShape& s) {
    const std::size_t step = pixel_step(s);
    return lies_apart(s) || (!is_channel_vectorized(s) &&
                             (step == kQuad || step == 2 * kQuad || step == kLaneBytes));
}

// Whether what follows runs in registers on pixels: four lanes hold parts of a sum, and all
// channels of four at a time are added.
inline bool lies_in_pixels(const SmallConvShape& s) {
    return lies_in_chunks(s) && pixel_step(s) == 4 * kQuad &&
           (s.dst_channels == 4 || s.dst_channels == 8);
}

inline std::size_t chunk_bytes(const SmallConvShape& s) {
    return lies_in_chunks(s) ? std::min(pixel_step(s), kLaneBytes) : kQuad;
}

// Neighbouring bytes in a row of a window: all of it, or a pixel.
inline std::size_t run_bytes_of(const SmallConvShape& s) {
    return s.src_channels * (s.dilation_width == 1 ? s.kernel_width : 1);
}

// Byte offsets in a source row of the chunks that a window consists of.
inline std::vector<std::size_t> chunk_offsets(const SmallConvShape& s) {
    std::vector<std::size_t> offsets;
    const std::size_t runs = s.dilation_width == 1 ? 1 : s.kernel_width;
    for (std::size_t run = 0; run < runs; ++run) {
        for (std::size_t q = 0; q < ceil_div(run_bytes_of(s), chunk_bytes(s)); ++q) {
            offsets.push_back(run * s.dilation_width * s.src_channels + q * chunk_bytes(s));
        }
    }
    return offsets;
}

// Chunks of the bytes that rows of a window have after whole chunks (channel-vectorized); 0
// where it is not one byte a row, or not worth it.
inline std::size_t end_chunks(const SmallConvShape& s) {
    constexpr std::size_t kMinRows = 3;
    const bool one_byte = s.dilation_width == 1 && run_bytes_of(s) % kQuad == 1 &&
                          run_bytes_of(s) > kQuad && s.kernel_height >= kMinRows;
    const std::size_t ends = ceil_div(s.kernel_height, kQuad);
    return is_channel_vectorized(s) && one_byte && ends <= kMaxChannelVectorEnds ? ends : 0;
}

// Two rows of results as one: their windows together.
inline SmallConvShape pooled_tiling(SmallConvShape s) {
    s.kernel_height += s.stride_height;
    s.stride_height *= 2;
    s.dst_height /= 2;
    s.dst_width -= s.dst_width % 2;
    return s;
}

inline std::size_t ring_rows(const SmallConvShape& s) {
    return (s.kernel_height - 1) * s.dilation_height + 1;
}

// Bytes that the windows of `count` pixels read of a row.
inline std::size_t row_bytes(const SmallConvShape& s, std::size_t count) {
    const std::size_t pixels =
        (count - 1) * s.stride_width + (s.kernel_width - 1) * s.dilation_width + 1;
    return pixels * s.src_channels;
}

// Bytes between the rows of a ring for so many pixels of dst.
inline std::size_t ring_stride(const SmallConvShape& s, std::size_t count) {
    return ceil_div(row_bytes(s, count) + slack_bytes(s), 64) * 64;
}

// Pixels of a row of dst that are worked on together: whole tiles, as many as fit.
inline std::size_t ring_width(const SmallConvShape& s) {
    std::size_t width = kSmallConvTile;
    while (width < s.dst_width &&
           ring_rows(s) * ring_stride(s, width + kSmallConvTile) <= kRingBytes) {
        width += kSmallConvTile;
    }
    return width;
}

// ---- the rows of a tile
// -----------------------------------------------------------------------

// Source rows with padding, by number modulo the size of the ring.
class Ring {
public:
    Ring(const SmallConvShape& shape, std::uint8_t flip, std::uint8_t padding, std::size_t width)
        : shape_(shape),
          flip_(flip),
          padding_(padding),
          rows_(static_cast<std::ptrdiff_t>(ring_rows(shape))),
          stride_(ring_stride(shape, width)) {}

    void begin(const std::uint8_t* image, std::size_t x) {
        image_ = image;
        first_ = static_cast<std::ptrdiff_t>(x * shape_.stride_width) - shape_.pad_left;
        held_.fill(kNone);
    }

    // `count` source rows from `first` on, `step` apart. One division: there are as many rows
    // to find as others have products.
    void rows(std::ptrdiff_t first, std::size_t step, std::size_t count, const std::uint8_t** to) {
        auto slot = static_cast<std::size_t>((first % rows_ + rows_) % rows_);
        const auto size = static_cast<std::size_t>(rows_);
        for (std::size_t k = 0; k < count; ++k, first += static_cast<std::ptrdiff_t>(step)) {
            std::uint8_t* const row = bytes_ + slot * stride_;
            if (held_[slot] != first) {
                fill(first, row);
                held_[slot] = first;
            }
            to[k] = row;
            slot += step;
            slot -= slot >= size ? size : 0;
        }
    }

private:
    static constexpr std::ptrdiff_t kNone = PTRDIFF_MIN;

    void fill(std::ptrdiff_t y, std::uint8_t* to) const {
        const auto width = static_cast<std::ptrdiff_t>(shape_.src_width);
        const auto channels = static_cast<std::ptrdiff_t>(shape_.src_channels);
        const auto size = static_cast<std::ptrdiff_t>(stride_);
        const std::ptrdiff_t last = first_ + (size - 64) / channels;
        if (y < 0 || y >= static_cast<std::ptrdiff_t>(shape_.src_height)) {
            std::memset(to, padding_, stride_);
            return;
        }
        const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(0, first_, last);
        const std::ptrdiff_t end = std::clamp<std::ptrdiff_t>(width, begin, last);
        const std::ptrdiff_t left = (begin - first_) * channels;
        const std::ptrdiff_t right = (end - first_) * channels;
        std::memset(to, padding_, static_cast<std::size_t>(left));
        const std::uint8_t* from = image_ + (y * width + begin) * channels;
        copy_flipped(from, to + left, static_cast<std::size_t>(right - left), flip_);
        std::memset(to + right, padding_, static_cast<std::size_t>(size - right));
    }

    const SmallConvShape& shape_;
    std::uint8_t flip_;
    std::uint8_t padding_;
    std::ptrdiff_t rows_;
    std::size_t stride_;
    const std::uint8_t* image_ = nullptr;
    std::ptrdiff_t first_ = 0;  // source column at the beginning of a row
    std::array<std::ptrdiff_t, kMaxRows> held_{};
    alignas(64) std::uint8_t bytes_[kRingBytes];
};

// Tiles of a row of dst from x to end. Calls tile(at, windows) for each. windows.rows are those
// of x.
template <class Tile>
void for_row(
    SmallConvTile at, std::size_t end, std::size_t max, Windows& windows, const Tile& tile) {
    while (at.x < end) {
        at.count = std::min(max, end - at.x);
        tile(at, windows);
        for (std::size_t k = 0; k < windows.kernel_rows; ++k) {
            windows.rows[k] += at.count * windows.step;
        }
        at.x += at.count;
    }
}

inline Windows windows_of(const Packed& packed) {
    const SmallConvShape& s = packed.tiling;
    return {{}, s.kernel_height, packed.offsets.data(), packed.offsets.size(), pixel_step(s), 0};
}

inline std::ptrdiff_t source_row(const SmallConvShape& s, std::size_t y, std::size_t k) {
    return static_cast<std::ptrdiff_t>(y * s.stride_height + k * s.dilation_height) - s.pad_top;
}

// From a ring that begins at pixel `from`.
template <class Tile>
void run_row(
    const Packed& packed, Ring& ring, SmallConvTile at, std::size_t end, const Tile& tile) {
    Windows windows = windows_of(packed);
    ring.rows(source_row(packed.tiling, at.y, 0), packed.tiling.dilation_height,
              windows.kernel_rows, windows.rows);
    for_row(at, end, tile_pixels(packed.tiling), windows, tile);
}

// ---- wide images of unsigned bytes
// -------------------------------------------------------------

// Pixels at the left edge that are copied, and of which the middle is a multiple.
inline std::size_t edge_pixels(const SmallConvShape& s) {
    return is_channel_vectorized(s) ? lane_tile(s) : 64;
}

inline constexpr std::size_t kMaxAtOnce =
    128;  // pixels that are computed together, whether they exist

// The pixels of a row of dst of which the windows lie in the source, from multiples of
// edge_pixels() to others, with everything that is read after them.
struct Middle {
    std::size_t begin = 1;
    std::size_t end = 0;  // not above begin: there are none
};

inline Middle middle_of(const Packed& packed) {
    const SmallConvShape& s = packed.tiling;
    const std::size_t reach = (s.kernel_width - 1) * s.dilation_width;
    const auto pad = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, s.pad_left));
    const std::size_t row = s.src_width * s.src_channels;
    // What is read after a row is in the next one.
    if (packed.flip != 0 || s.pad_left < 0 || pad > edge_pixels(s) || s.src_width <= reach ||
        row < kMaxAtOnce * pixel_step(s) + slack_bytes(s) + row_bytes(s, 1)) {
        return {};
    }
    const std::size_t last = (s.src_width + pad - reach - 1) / s.stride_width + 1;
    const std::size_t edge = edge_pixels(s);
    return {pad == 0 ? 0 : edge, std::min(last, s.dst_width) / edge * edge};
}

// Pixels of the middle of a row that are worked on for all rows before the next ones: the rows
// of their windows and the one that is fetched stay in the L1 cache.
inline std::size_t strip_pixels(const SmallConvShape& s, const Middle& middle) {
    constexpr std::size_t kStripBytes = 32 << 10;
    const std::size_t pixels = middle.end - middle.begin;
    const std::size_t bytes = (ring_rows(s) + s.stride_height) * pixels * pixel_step(s);
    const std::size_t strips = is_channel_vectorized(s) ? 1 : ceil_div(bytes, kStripBytes);
    return ceil_div(ceil_div(pixels, strips), kSmallConvTile) * kSmallConvTile;
}

inline bool is_inside(const SmallConvShape& s, std::size_t y) {
    return source_row(s, y, 0) >= 0 &&
           source_row(s, y, s.kernel_height - 1) + 1 < static_cast<std::ptrdiff_t>(s.src_height);
}

// From the source as it is.
template <class Tile>
void run_middle(const Packed& packed,
                const std::uint8_t* image,
                SmallConvTile at,
                std::size_t end,
                const Tile& tile) {
    const SmallConvShape& s = packed.tiling;
    Windows windows = windows_of(packed);
    const std::size_t row = s.src_width * s.src_channels;
    const std::size_t column = at.x * s.stride_width - static_cast<std::size_t>(s.pad_left);
    for (std::size_t k = 0; k < s.kernel_height; ++k) {
        windows.rows[k] = image + static_cast<std::size_t>(source_row(s, at.y, k)) * row +
                          column * s.src_channels;
    }
    windows.ahead = row * s.stride_height;
    for_row(at, end, tile_pixels(s), windows, tile);
}

// Rows of one image by way of rings that hold whole rows, or as much as fits.
template <class Tile>
void copied_rows(const Packed& packed,
                 const std::uint8_t* image,
                 std::size_t number,
                 Range rows,
                 const Tile& tile) {
    const std::size_t width = packed.width;
    Ring ring(packed.tiling, packed.flip, packed.padding, width);
    for (std::size_t x = 0; x < packed.tiling.dst_width; x += width) {
        ring.begin(image, x);
        for (std::size_t y = rows.begin; y < rows.end; ++y) {
            run_row(packed, ring, {nullptr, number, y, x, 0},
                    std::min(x + width, packed.tiling.dst_width), tile);
        }
    }
}

// Rows of one image whose windows lie in it: copied at the edges only.
template <class Tile>
void inner_rows(const Packed& packed,
                const std::uint8_t* image,
                std::size_t number,
                Range rows,
                const Middle& middle,
                const Tile& tile) {
    const SmallConvShape& s = packed.tiling;
    const bool by_channel = is_channel_vectorized(s);
    Ring left(s, 0, packed.padding, by_channel ? kMaxTile : kMaxAtOnce);
    Ring right(s, 0, packed.padding,
               by_channel ? kMaxTile + kMaxChannelVectorKernel : kSmallConvTile);
    left.begin(image, 0);
    right.begin(image, middle.end);
    const std::size_t strip = strip_pixels(s, middle);
    for (std::size_t x = middle.begin; x < middle.end; x += strip) {
        const std::size_t end = std::min(x + strip, middle.end);
        for (std::size_t y = rows.begin; y < rows.end; ++y) {
            if (x == middle.begin && x != 0) {
                run_row(packed, left, {nullptr, number, y, 0, 0}, middle.begin, tile);
            }
            run_middle(packed, image, {nullptr, number, y, x, 0}, end, tile);
            if (end == middle.end && end != s.dst_width) {
                run_row(packed, right, {nullptr, number, y, middle.end, 0}, s.dst_width, tile);
            }
        }
    }
}

// Calls tile(at, windows) for the tiles of the rows.
template <class Tile>
void for_tiles(const Packed& packed, const void* src, Range rows, const Tile& tile) {
    const SmallConvShape& s = packed.tiling;
    const Middle middle = middle_of(packed);
    const std::size_t image_bytes = s.src_height * s.src_width * s.src_channels;
    while (rows.begin < rows.end) {
        const std::size_t number = rows.begin / s.dst_height;
        const std::size_t y = rows.begin % s.dst_height;
        const std::size_t end = std::min(s.dst_height, y + (rows.end - rows.begin));
        const auto* image = static_cast<const std::uint8_t*>(src) + number * image_bytes;
        const bool inside = middle.end > middle.begin && is_inside(s, y);
        std::size_t next = y + 1;
        while (next < end && (middle.end > middle.begin && is_inside(s, next)) == inside) {
            ++next;
        }
        if (inside) {
            inner_rows(packed, image, number, {y, next}, middle, tile);
        } else {
            copied_rows(packed, image, number, {y, next}, tile);
        }
        rows.begin += next - y;
    }
}

}  // namespace fuseq::kernels::small_conv
