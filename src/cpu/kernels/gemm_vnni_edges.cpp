// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Taps that rows of dst at the upper and lower edge leave out, because they would only meet
// padding: a tenth of all products of a 3x3 kernel on 7 rows.
#include <algorithm>

#include "cpu/kernels/gemm_vnni_detail.hpp"

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

}  // namespace

void find_tap_ranges(Packed& p) {
    p.tap_ranges = {{0, p.taps.size()}};
    p.range_of_row.clear();
    // Pooled rows are two of the convolution, which may differ.
    if (p.mode != SourceMode::kRows || p.pool) {
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
