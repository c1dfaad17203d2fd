// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of source: pixels of a 1x1 kernel one behind the other, rows of a larger one with their
// padding.
#include <algorithm>
#include <cstring>

#include "cpu/kernels/copy_flipped.hpp"
#include "cpu/kernels/gemm_vnni_detail.hpp"

namespace fuseq::kernels::gemm {

void copy_pixels(
    const Packed& p, const void* src, std::size_t at, std::size_t count, std::uint8_t* scratch) {
    const GemmShape& s = p.shape;
    const std::size_t step = p.step;
    const auto* from = static_cast<const std::uint8_t*>(src);
    if (p.dense && step == s.src_channels) {
        copy_flipped(from + at * step, scratch, count * step, p.flip);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t x = (at + i) % s.dst_width;
        const std::size_t row = (at + i) / s.dst_width;
        const std::size_t y =
            row / s.dst_height * s.src_height + row % s.dst_height * s.stride_height;
        copy_flipped(from + (y * s.src_width + x * s.stride_width) * s.src_channels,
                     scratch + i * step, s.src_channels, p.flip);
    }
}

void copy_rows(const Packed& p,
               const void* src,
               std::size_t image,
               std::size_t y,
               std::size_t count,
               std::uint8_t* scratch) {
    const GemmShape& s = p.shape;
    const std::size_t rows = p.rows_read(count);
    const std::size_t width = p.pitch / s.src_channels;
    const auto clamp = [&](std::ptrdiff_t v, std::size_t most) {
        return static_cast<std::size_t>(
            std::clamp<std::ptrdiff_t>(v, 0, static_cast<std::ptrdiff_t>(most)));
    };
    // Columns of scratch: padding, source, padding.
    const std::size_t left = clamp(s.pad_left, width);
    const std::size_t begin = clamp(-s.pad_left, s.src_width);
    const std::size_t inner = std::min(width - left, s.src_width - begin);
    const auto* from = static_cast<const std::uint8_t*>(src);
    std::uint8_t* to = scratch;
    for (std::size_t r = 0; r < rows; ++r, to += p.pitch) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y * s.stride_height + r) - s.pad_top;
        if (at < 0 || at >= static_cast<std::ptrdiff_t>(s.src_height)) {
            std::memset(to, p.fill, p.pitch);
            continue;
        }
        const std::size_t row = image * s.src_height + static_cast<std::size_t>(at);
        std::memset(to, p.fill, left * s.src_channels);
        copy_flipped(from + (row * s.src_width + begin) * s.src_channels,
                     to + left * s.src_channels, inner * s.src_channels, p.flip);
        std::memset(to + (left + inner) * s.src_channels, p.fill,
                    (width - left - inner) * s.src_channels);
    }
}

}  // namespace fuseq::kernels::gemm
