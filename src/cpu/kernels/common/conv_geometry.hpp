// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sizes of a convolution in one or two dimensions, in pixels; a one-dimensional one has one row.
#pragma once

#include <cstddef>

namespace fuseq::kernels {

// Bottom and right padding follow from the size of dst.
struct ConvGeometry {
    std::size_t batch = 1;
    std::size_t src_channels = 0, dst_channels = 0;
    std::size_t src_height = 1, src_width = 1;
    std::size_t dst_height = 1, dst_width = 1;
    std::size_t kernel_height = 1, kernel_width = 1;
    std::size_t stride_height = 1, stride_width = 1;
    std::size_t dilation_height = 1, dilation_width = 1;  // 1: dense
    std::ptrdiff_t pad_top = 0, pad_left = 0;
};

}  // namespace fuseq::kernels
