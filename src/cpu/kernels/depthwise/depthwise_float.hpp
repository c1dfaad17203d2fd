// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution of f32 over one to three spatial dimensions, channels-last, row by row.
// Positions outside of src count as zero. A row gives the same bytes whoever computes it. No
// allocation.
#pragma once

#include <cstddef>

namespace fuseq::kernels {

struct DepthwiseAxis {
    std::size_t src = 1, dst = 1;
    std::size_t kernel = 1, stride = 1, dilation = 1;
    std::ptrdiff_t pad = 0;
};

struct DepthwiseFloatParams {
    std::size_t batch = 1;
    std::size_t channels = 0;
    DepthwiseAxis depth{}, height{}, width{};

    std::size_t taps() const { return depth.kernel * height.kernel * width.kernel; }
    // Of dst, of all planes and images.
    std::size_t rows() const { return batch * depth.dst * height.dst; }
};

// [channels, taps] as [taps, channels].
void pack_depthwise_float(const DepthwiseFloatParams& params, const float* weights, float* packed);

// One row of dst: to[width.dst][channels].
void depthwise_float_row(const DepthwiseFloatParams& params,
                         const float* src,
                         const float* packed,
                         std::size_t row,
                         float* to);

}  // namespace fuseq::kernels
