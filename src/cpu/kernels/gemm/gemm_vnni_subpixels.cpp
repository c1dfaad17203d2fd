// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The sub-pixel decomposition of a deconvolution with stride S. Row S * q + r of dst is the sum
// over the rows k of the kernel for which r + pad - k is a multiple of S, with row q + (r + pad -
// k) / S of src. Which k these are depends on r alone. So each r, and each r of the columns, is a
// convolution of stride 1 over some taps of a common window.
#include <algorithm>

#include <fmt/core.h>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "fuseq/error.hpp"

namespace fuseq::kernels::gemm {
namespace {

// Along one dimension.
struct Extent {
    std::ptrdiff_t min = 0;  // offset in src of the window
    std::size_t size = 1;    // of the window
    // By subpixel: places in the window, rising, and those of the kernel.
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> taps;
};

Extent extent_of(std::size_t kernel, std::size_t stride, std::ptrdiff_t pad) {
    const auto step = static_cast<std::ptrdiff_t>(stride);
    const auto last = static_cast<std::ptrdiff_t>(kernel) - 1;
    Extent extent;
    // The first subpixel meets the largest k that it can with the smallest offset, the last one k
    // of 0 or a little more with the largest.
    const auto down = [&](std::ptrdiff_t v) {
        return v >= 0 ? v / step : -((-v + step - 1) / step);
    };
    extent.min = -down(last - pad);
    std::ptrdiff_t max = extent.min;
    for (std::ptrdiff_t r = 0; r < step; ++r) {
        std::vector<std::pair<std::size_t, std::size_t>> taps;
        for (std::ptrdiff_t k = last; k >= 0; --k) {
            if ((r + pad - k) % step == 0) {
                const std::ptrdiff_t offset = (r + pad - k) / step;
                max = std::max(max, offset);
                taps.emplace_back(static_cast<std::size_t>(offset - extent.min),
                                  static_cast<std::size_t>(k));
            }
        }
        extent.taps.push_back(std::move(taps));
    }
    extent.size = static_cast<std::size_t>(max - extent.min) + 1;
    return extent;
}

Extent rows_of(const GemmShape& s) {
    return extent_of(s.kernel_height, s.stride_height, s.pad_top);
}

Extent columns_of(const GemmShape& s) {
    return extent_of(s.kernel_width, s.stride_width, s.pad_left);
}

void check(const GemmParams& params) {
    const GemmShape& s = params.shape;
    const bool fits = s.dst_height % s.stride_height == 0 && s.dst_width % s.stride_width == 0 &&
                      s.kernel_height >= s.stride_height && s.kernel_width >= s.stride_width &&
                      s.dilation_height == 1 && s.dilation_width == 1;
    const bool reads_many = std::any_of(params.ops.begin(), params.ops.end(), [](const GemmOp& op) {
        return op.reads_tensor() && op.binary.input >= kMaxBinarySources;
    });
    if (!fits || reads_many || params.pool || !params.wei_zero_point.empty()) {
        throw Error("compile", "integer matrix product: a deconvolution that it cannot do");
    }
}

// A list for the channels of all sub-pixels: of one value for each of them, or of one a channel, which
// is repeated. Padding channels repeat the last one.
std::vector<float> for_all(std::span<const float> list, const SubPixels& subpixels) {
    if (list.size() <= 1) {
        return {list.begin(), list.end()};
    }
    const std::size_t each = subpixels.channels * subpixels.count();
    if (list.size() != subpixels.channels && list.size() != each) {
        throw Error(
            "compile",
            fmt::format("integer matrix product: a list has {} values, expected 1, {} or {}",
                        list.size(), subpixels.channels, each));
    }
    std::vector<float> all;
    for (std::size_t i = 0; i < subpixels.count(); ++i) {
        const auto own =
            list.subspan(list.size() == each ? i * subpixels.channels : 0, subpixels.channels);
        all.insert(all.end(), own.begin(), own.end());
        all.resize((i + 1) * subpixels.all_channels, own.back());
    }
    return all;
}

}  // namespace

std::size_t SubPixels::max_taps() const {
    std::size_t max = 0;
    for (const auto& list : taps) {
        max = std::max(max, list.size());
    }
    return max;
}

SubPixels subpixels_of(const GemmParams& params) {
    check(params);
    const GemmShape& s = params.shape;
    const Extent rows = rows_of(s);
    const Extent columns = columns_of(s);
    SubPixels subpixels{.rows = s.stride_height,
                        .columns = s.stride_width,
                        .channels = s.dst_channels,
                        .all_channels = (s.dst_channels + kLanes - 1) / kLanes * kLanes};
    for (const auto& row_taps : rows.taps) {
        for (const auto& column_taps : columns.taps) {
            std::vector<SubPixels::Tap> taps;
            for (const auto& [y, row] : row_taps) {
                for (const auto& [x, column] : column_taps) {
                    taps.push_back({.y = y, .x = x, .row = row, .column = column});
                }
            }
            subpixels.taps.push_back(std::move(taps));
        }
    }
    return subpixels;
}

GemmParams as_convolution(const GemmParams& params,
                          const SubPixels& subpixels,
                          std::vector<float>& scale,
                          std::vector<float>& bias) {
    GemmParams result = params;
    GemmShape& s = result.shape;
    const Extent rows = rows_of(s);
    const Extent columns = columns_of(s);
    s.dst_channels = subpixels.count() * subpixels.all_channels;
    s.dst_height /= s.stride_height;
    s.dst_width /= s.stride_width;
    s.stride_height = s.stride_width = 1;
    s.kernel_height = rows.size;
    s.kernel_width = columns.size;
    s.pad_top = -rows.min;
    s.pad_left = -columns.min;
    scale = for_all(params.scale, subpixels);
    bias = for_all(params.bias, subpixels);
    result.scale = scale;
    result.bias = bias;
    for (GemmOp& op : result.ops) {
        op.a = for_all(op.a, subpixels);
        op.b = for_all(op.b, subpixels);
    }
    return result;
}

}  // namespace fuseq::kernels::gemm
