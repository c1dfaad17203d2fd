// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The reference that the plugin's own convolution kernels are compared with: which elements of the
// source an element of the result reads.
#pragma once

#include <cstddef>

#include "cpu/kernels/common/conv_geometry.hpp"

namespace fuseq::test {

// An output pixel.
struct Pixel {
    std::size_t image, y, x;
};

// Calls take(pixel, tap) for every tap of the kernel that lies inside of the source: the number of
// the source pixel over all images, and of the tap in [kernel_height, kernel_width].
template <class Take>
void for_each_tap(const kernels::ConvGeometry& g, const Pixel& of, const Take& take) {
    const auto height = static_cast<std::ptrdiff_t>(g.src_height);
    const auto width = static_cast<std::ptrdiff_t>(g.src_width);
    for (std::size_t ky = 0; ky < g.kernel_height; ++ky) {
        for (std::size_t kx = 0; kx < g.kernel_width; ++kx) {
            const auto y =
                static_cast<std::ptrdiff_t>(of.y * g.stride_height + ky * g.dilation_height) -
                g.pad_top;
            const auto x =
                static_cast<std::ptrdiff_t>(of.x * g.stride_width + kx * g.dilation_width) -
                g.pad_left;
            if (y >= 0 && x >= 0 && y < height && x < width) {
                take((of.image * g.src_height + static_cast<std::size_t>(y)) * g.src_width +
                         static_cast<std::size_t>(x),
                     ky * g.kernel_width + kx);
            }
        }
    }
}

}  // namespace fuseq::test
