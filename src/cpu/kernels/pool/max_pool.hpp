// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Maximum of sliding windows over one to three spatial dimensions, channels-last. Positions outside
// of src do not count; a window without any position inside gives the lowest value of the type
// (-inf for f32). The same bytes on every instruction set (but for NaN) and for every split.
#pragma once

#include "cpu/kernels/common/range.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

// One spatial dimension. Position k of window i is at i * stride + k * dilation - pad in src.
struct MaxPoolAxis {
    std::size_t src = 1;
    std::size_t dst = 1;
    std::size_t kernel = 1;
    std::size_t stride = 1;
    std::size_t dilation = 1;
    std::size_t pad = 0;
};

struct MaxPoolParams {
    ElementType type = ElementType::u8;  // u8, i8, f32
    std::size_t batch = 1;
    std::size_t channels = 0;
    MaxPoolAxis depth{};  // left out for two dimensions
    MaxPoolAxis height{};
    MaxPoolAxis width{};
    // Elements from one pixel to the next; 0 means `channels`.
    std::size_t src_pixel_stride = 0;
    std::size_t dst_pixel_stride = 0;
};

// Throws fuseq::Error for what the kernel does not take; max_pool() does not check again.
void check_max_pool(const MaxPoolParams& params);

// Rows of dst, of all images and planes. src and dst point to the first element of the first image
// and must not overlap.
void max_pool(const MaxPoolParams& params, const void* src, void* dst, Range rows);

// Rows there are.
inline std::size_t max_pool_rows(const MaxPoolParams& p) {
    return p.batch * p.depth.dst * p.height.dst;
}

}  // namespace fuseq::kernels
