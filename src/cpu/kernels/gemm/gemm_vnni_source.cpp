// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of the source: pixels, windows, rows with padding, edges.
#include <algorithm>
#include <cstring>

#include "cpu/kernels/common/copy_flipped.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/machine/instructions.hpp"

namespace fuseq::kernels::gemm {

namespace {

// `count` channels of consecutive pixels, as the micro-kernel reads them.
void copy_channels(const Packed& p, const std::uint8_t* from, std::size_t count, std::uint8_t* to) {
    if (p.is_pairs()) {
        widen(from, count, p.src_signed, p.src_zero_point, reinterpret_cast<std::int16_t*>(to));
    } else {
        copy_flipped(from, to, count, p.flip);
    }
}

// Columns [begin, end) of the kernel that lie on the image; `at` is the source column of the first.
Range columns_on_image(const GemmShape& s, std::ptrdiff_t at) {
    const auto width = static_cast<std::ptrdiff_t>(s.src_width);
    const auto kernel = static_cast<std::ptrdiff_t>(s.kernel_width);
    const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(-at, 0, kernel);
    const std::ptrdiff_t end = std::clamp<std::ptrdiff_t>(width - at, begin, kernel);
    return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end)};
}

void copy_window(
    const Packed& p, const std::uint8_t* image, std::size_t y, std::size_t x, std::uint8_t* to) {
    const GemmShape& s = p.shape;
    const std::size_t pixel = s.src_channels;
    const std::size_t row_bytes = s.kernel_width * pixel;
    const auto left = static_cast<std::ptrdiff_t>(x * s.stride_width) - s.pad_left;
    const Range columns = columns_on_image(s, left);
    for (std::size_t k = 0; k < s.kernel_height; ++k, to += row_bytes) {
        const auto row =
            static_cast<std::ptrdiff_t>(y * s.stride_height + k * s.dilation_height) - s.pad_top;
        if (row < 0 || row >= static_cast<std::ptrdiff_t>(s.src_height)) {
            std::memset(to, p.fill, row_bytes);
            continue;
        }
        std::memset(to, p.fill, columns.begin * pixel);
        const std::ptrdiff_t first = row * static_cast<std::ptrdiff_t>(s.src_width) + left +
                                     static_cast<std::ptrdiff_t>(columns.begin);
        if (columns.begin < columns.end) {
            copy_flipped(image + static_cast<std::size_t>(first) * pixel,
                         to + columns.begin * pixel, (columns.end - columns.begin) * pixel, p.flip);
        }
        std::memset(to + columns.end * pixel, p.fill, row_bytes - columns.end * pixel);
    }
}

}  // namespace

bool gathers_windows(const GemmShape& s) {
    constexpr std::size_t kFewPixels = 64;
    constexpr std::size_t kShortRow = 4;
    constexpr std::size_t kLongRow = 7;
    return !loads_one_wide_vector_a_cycle() && s.src_channels % 4 == 0 && s.dilation_width == 1 &&
           s.dst_width < kLongRow && s.batch * s.dst_height * s.dst_width <= kFewPixels &&
           (s.dst_width <= kShortRow || is_mostly_image(s));
}

bool gathers_windows_for_tiles(const GemmShape& s) {
    return s.src_channels % 4 == 0 && s.dilation_width == 1 && s.dst_width < kAmxTileRows;
}

void copy_pixels(
    const Packed& p, const void* src, std::size_t at, std::size_t count, std::uint8_t* scratch) {
    const GemmShape& s = p.shape;
    const std::size_t step = p.step;
    const auto* from = static_cast<const std::uint8_t*>(src);
    if (p.mode == SourceMode::kWindows) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t row = (at + i) / s.dst_width;
            copy_window(p, from + row / s.dst_height * s.src_height * s.src_width * s.src_channels,
                        row % s.dst_height, (at + i) % s.dst_width, scratch + i * step);
        }
        return;
    }
    if (p.dense && step == p.pixel_bytes()) {
        copy_channels(p, from + at * s.src_channels, count * s.src_channels, scratch);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t x = (at + i) % s.dst_width;
        const std::size_t row = (at + i) / s.dst_width;
        const std::size_t y =
            row / s.dst_height * s.src_height + row % s.dst_height * s.stride_height;
        copy_channels(p, from + (y * s.src_width + x * s.stride_width) * s.src_channels,
                      s.src_channels, scratch + i * step);
    }
}

namespace {

// Source columns that are copied together: `begin` may be before the first one.
struct Columns {
    std::ptrdiff_t begin;
    std::size_t pitch;  // bytes of a row of the copy
};

void copy_columns(const Packed& p,
                  const void* src,
                  std::size_t image,
                  std::size_t y,
                  std::size_t count,
                  const Columns& columns,
                  std::uint8_t* to) {
    const GemmShape& s = p.shape;
    const std::size_t rows = p.rows_read(count);
    const std::size_t pixel = p.pixel_bytes();
    const std::size_t width = columns.pitch / pixel;
    const auto clamp = [&](std::ptrdiff_t v, std::size_t max) {
        return static_cast<std::size_t>(
            std::clamp<std::ptrdiff_t>(v, 0, static_cast<std::ptrdiff_t>(max)));
    };
    // Of the copy: padding, source, padding.
    const std::size_t left = clamp(-columns.begin, width);
    const std::size_t begin = clamp(columns.begin, s.src_width);
    const std::size_t inner = std::min(width - left, s.src_width - begin);
    const auto* from = static_cast<const std::uint8_t*>(src);
    for (std::size_t r = 0; r < rows; ++r, to += columns.pitch) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y * s.stride_height + r) - s.pad_top;
        if (at < 0 || at >= static_cast<std::ptrdiff_t>(s.src_height)) {
            std::memset(to, p.fill, columns.pitch);
            continue;
        }
        const std::size_t row = image * s.src_height + static_cast<std::size_t>(at);
        std::memset(to, p.fill, left * pixel);
        copy_channels(p, from + (row * s.src_width + begin) * s.src_channels,
                      inner * s.src_channels, to + left * pixel);
        std::memset(to + (left + inner) * pixel, p.fill, (width - left - inner) * pixel);
    }
}

}  // namespace

void copy_rows(const Packed& p,
               const void* src,
               std::size_t image,
               std::size_t y,
               std::size_t count,
               std::uint8_t* scratch) {
    copy_columns(p, src, image, y, count, {-p.shape.pad_left, p.pitch}, scratch);
}

void copy_edges(const Packed& p,
                const void* src,
                std::size_t image,
                std::size_t y,
                std::size_t count,
                std::uint8_t* scratch) {
    for (const EdgeCopy& copy : p.edge_copies) {
        copy_columns(p, src, image, y, count, {copy.begin, copy.pitch}, scratch + copy.at);
    }
}

}  // namespace fuseq::kernels::gemm
