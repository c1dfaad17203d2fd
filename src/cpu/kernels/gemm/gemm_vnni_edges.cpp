// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Pixels at the edges leave out the rows and columns of the kernel that only meet padding. Rows and
// columns are each a tenth of all products of a 3x3 kernel on 7 x 7 pixels.
#include <algorithm>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/machine/instructions.hpp"

namespace fuseq::kernels::gemm {
namespace {

// The rows of the kernel that meet rows of src; they are consecutive.
Range kernel_rows(const GemmShape& s, std::size_t y) {
    Range rows;
    for (std::size_t k = 0; k < s.kernel_height; ++k) {
        const auto at =
            static_cast<std::ptrdiff_t>(y * s.stride_height + k * s.dilation_height) - s.pad_top;
        if (at >= 0 && at < static_cast<std::ptrdiff_t>(s.src_height)) {
            rows = {rows.end == 0 ? k : rows.begin, k + 1};
        }
    }
    return rows;
}

Range kernel_columns(const GemmShape& s, std::size_t x) {
    Range columns;
    for (std::size_t k = 0; k < s.kernel_width; ++k) {
        const auto at = static_cast<std::ptrdiff_t>(x * s.stride_width + k) - s.pad_left;
        if (at >= 0 && at < static_cast<std::ptrdiff_t>(s.src_width)) {
            columns = {columns.end == 0 ? k : columns.begin, k + 1};
        }
    }
    return columns;
}

// The number of pixels between the edges from which on leaving columns out gains time. Smaller
// tiles wait for their weights, and two products a cycle with a latency of five need ten sums (six
// inner pixels lose 2 %, seven gain 2 to 3). Five rows of two vectors have them. In long rows the gain
// is too small to measure.
std::size_t min_inner(const Packed& p) {
    if (p.form == GemmForm::kVnni256 && loads_two_vectors_a_cycle()) {
        return 5;
    }
    return loads_one_wide_vector_a_cycle() ? 4 : 7;
}
constexpr std::size_t kMaxInner = 60;
constexpr std::size_t kMinRows = 5;

// A column of the kernel must begin at a multiple of four bytes.
bool may_be_apart(const Packed& p, const GemmParams& params) {
    // The steps of kBytes have no order by columns.
    return p.mode == SourceMode::kRows && p.form != GemmForm::kBytes && !p.pool && !p.subpixels &&
           p.shape.dilation_width == 1 && p.pixel_bytes() % 4 == 0 &&
           params.wei_zero_point.empty() &&
           std::all_of(params.ops.begin(), params.ops.end(),
                       [](const GemmOp& op) { return op.binary.input < kMaxBinarySources; });
}

// Sets edge_columns and inner; false, without a change, if too few pixels are between the edges.
// all_columns: of the kernel, with padding.
bool set_apart(Packed& p, bool all_columns) {
    const GemmShape& s = p.shape;
    std::vector<EdgeColumn> edges;
    Range inner{0, s.dst_width};
    for (std::size_t x = 0; x < s.dst_width; ++x) {
        const Range kernel = kernel_columns(s, x);
        if (kernel.begin != 0 || kernel.end != s.kernel_width) {
            edges.push_back({x, all_columns ? Range{0, s.kernel_width} : kernel});
            if (kernel.begin != 0) {
                inner.begin = x + 1;
            } else {
                inner.end = std::min(inner.end, x);
            }
        }
    }
    // Each of them is on one side, and meets something.
    const bool apart = std::all_of(edges.begin(), edges.end(), [&](const EdgeColumn& column) {
        return (column.x < inner.begin || column.x >= inner.end) && column.kernel.end != 0;
    });
    if (!apart || inner.end - std::min(inner.begin, inner.end) < min_inner(p)) {
        return false;
    }
    p.edge_columns = std::move(edges);
    p.inner = inner;
    return true;
}

// For pixels of dst at one edge, `columns`.
EdgeCopy edge_copy_of(const Packed& p, Range columns) {
    const GemmShape& s = p.shape;
    EdgeCopy copy;
    copy.begin = static_cast<std::ptrdiff_t>(columns.begin * s.stride_width) - s.pad_left;
    const std::size_t width =
        columns.begin == columns.end
            ? 0
            : (columns.end - columns.begin - 1) * s.stride_width + s.kernel_width;
    copy.pitch = width * s.src_channels;
    for (std::size_t y = 0; y < s.kernel_height; ++y) {
        copy.taps.push_back(static_cast<std::ptrdiff_t>(y * s.dilation_height * copy.pitch));
    }
    return copy;
}

}  // namespace

bool is_mostly_image(const GemmShape& s) {
    std::size_t rows = 0;
    std::size_t columns = 0;
    for (std::size_t y = 0; y < s.dst_height; ++y) {
        const Range kernel = kernel_rows(s, y);
        rows += kernel.end - kernel.begin;
    }
    for (std::size_t x = 0; x < s.dst_width; ++x) {
        const Range kernel = kernel_columns(s, x);
        columns += kernel.end - kernel.begin;
    }
    const std::size_t all = s.dst_height * s.kernel_height * s.dst_width * s.kernel_width;
    return 5 * rows * columns >= 4 * all;
}

void find_edge_columns(Packed& p, const GemmParams& params) {
    p.inner = {0, p.shape.dst_width / p.window()};
    // Only padding of zeros adds nothing.
    if (!may_be_apart(p, params) || p.fill != 0 || p.block < kMinRows || !set_apart(p, false)) {
        return;
    }
    if (p.inner.end - p.inner.begin > kMaxInner) {
        p.edge_columns.clear();
        p.inner = {0, p.shape.dst_width};
    }
}

bool suits_direct(const GemmShape& s) {
    // Only for a single wide panel: with several the copy costs little for each, and its rows begin
    // on cache lines. In short rows leaving out columns gains more.
    constexpr std::size_t kMaxChannels = 64;
    return s.kernel_width > 1 && s.dilation_width == 1 && s.src_channels % 4 == 0 &&
           s.dst_channels <= kMaxChannels && s.dst_width > kMaxInner && s.dst_height >= kMinRows;
}

void find_direct(Packed& p, const GemmParams& params) {
    if (!may_be_apart(p, params) || p.is_narrow() || p.flip != 0 || !suits_direct(p.shape) ||
        !set_apart(p, p.fill != 0)) {
        return;
    }
    const GemmShape& s = p.shape;
    p.direct = true;
    p.pitch = s.src_width * s.src_channels;
    for (std::size_t y = 0; y < p.taps.size(); ++y) {
        p.taps[y] = static_cast<std::ptrdiff_t>(y * s.dilation_height * p.pitch);
    }
    p.edge_copies = {edge_copy_of(p, {0, p.inner.begin}),
                     edge_copy_of(p, {p.inner.end, s.dst_width})};
}

void find_tap_ranges(Packed& p) {
    p.tap_ranges = {{0, p.taps.size()}};
    p.range_of_row.clear();
    // Pooled rows are two of the convolution, which may differ.
    if (p.mode != SourceMode::kRows || p.pool || p.subpixels) {
        return;
    }
    const std::size_t columns = p.taps.size() / p.shape.kernel_height;
    for (std::size_t y = 0; y < p.shape.dst_height; ++y) {
        const Range rows = kernel_rows(p.shape, y);
        const Range taps{rows.begin * columns, rows.end * columns};
        const auto found = std::find_if(
            p.tap_ranges.begin(), p.tap_ranges.end(),
            [&](const Range& other) { return other.begin == taps.begin && other.end == taps.end; });
        p.range_of_row.push_back(static_cast<std::uint32_t>(found - p.tap_ranges.begin()));
        if (found == p.tap_ranges.end()) {
            p.tap_ranges.push_back(taps);
        }
    }
    if (p.tap_ranges.size() == 1) {
        p.range_of_row.clear();
    }
}

WidePanel wide_panel_of(const Packed& p, std::size_t range, std::size_t number) {
    WidePanel wide = p.wide_panels[number];
    const Panel& panel = p.panels[number];
    for (std::size_t c = 0; c < panel.channels; ++c) {
        const std::size_t place = wide_place(c, panel.vectors);
        const std::int32_t* init = p.init.data() + panel.channel + c;
        wide.vectors[place / kLanes].init[place % kLanes] += init[range * p.init_size] - init[0];
    }
    return wide;
}

}  // namespace fuseq::kernels::gemm
