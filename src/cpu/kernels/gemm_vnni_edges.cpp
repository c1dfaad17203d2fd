// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What pixels at the edges leave out, because it would only meet padding: rows of the kernel in
// rows of dst at the upper and lower edge, columns in columns at the left and right edge. Each a
// tenth of all products of a 3x3 kernel on 7 x 7 pixels.
#include <algorithm>

#include "cpu/kernels/gemm_vnni_detail.hpp"
#include "cpu/kernels/instructions.hpp"

namespace fuseq::kernels::gemm {
namespace {

// Of the kernel, that meet rows of src: consecutive ones.
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

// Pixels between the edges from which on less work is less time: fewer make tiles that wait for
// their weights, and two products a cycle need ten sums to hide that each takes five cycles (six
// inner pixels lose 2 %, seven gain 2 to 3). What is saved of longer rows is not seen.
std::size_t least_inner() {
    return loads_one_wide_vector_a_cycle() ? 4 : 7;
}
constexpr std::size_t kMostInner = 60;
constexpr std::size_t kLeastRows = 5;

// Padding of zeros adds nothing, and a column begins with a four.
bool may_leave_out_columns(const Packed& p, const GemmParams& params) {
    return p.mode == SourceMode::kRows && !p.pool && !p.phases && p.fill == 0 &&
           p.shape.dilation_width == 1 && p.shape.src_channels % 4 == 0 && p.block >= kLeastRows &&
           params.wei_zero_point.empty() &&
           std::all_of(params.ops.begin(), params.ops.end(),
                       [](const GemmOp& op) { return op.binary.input < kMostExtras; });
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
    const GemmShape& s = p.shape;
    p.inner = {0, s.dst_width / p.window()};
    if (!may_leave_out_columns(p, params)) {
        return;
    }
    for (std::size_t x = 0; x < s.dst_width; ++x) {
        const Range kernel = kernel_columns(s, x);
        if (kernel.begin != 0 || kernel.end != s.kernel_width) {
            p.edge_columns.push_back({x, kernel});
            if (kernel.begin != 0) {
                p.inner.begin = x + 1;
            } else {
                p.inner.end = std::min(p.inner.end, x);
            }
        }
    }
    // Each of them is on one side, and meets something.
    const bool apart =
        std::all_of(p.edge_columns.begin(), p.edge_columns.end(), [&](const EdgeColumn& column) {
            return (column.x < p.inner.begin || column.x >= p.inner.end) && column.kernel.end != 0;
        });
    const std::size_t width = p.inner.end - std::min(p.inner.begin, p.inner.end);
    if (!apart || width < least_inner() || width > kMostInner) {
        p.edge_columns.clear();
        p.inner = {0, s.dst_width};
    }
}

void find_tap_ranges(Packed& p) {
    p.tap_ranges = {{0, p.taps.size()}};
    p.range_of_row.clear();
    // Pooled rows are two of the convolution, which may differ.
    if (p.mode != SourceMode::kRows || p.pool || p.phases) {
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
