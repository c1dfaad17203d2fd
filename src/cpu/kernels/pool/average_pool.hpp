// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Average pooling of u8 or i8, channels-last, with the re-scale and the conversion of the next
// tensor fused into the store. For each output element:
//
//   sum = sum over the taps inside of src of (src - src_zero_point)           exact integers
//   v   = fma(float(sum), scale / float(count), shift)
//   dst = v, or v rounded half to even and saturated (u8, i8)
//
// count is the number of taps inside of src or, with include_padding, inside of the padded tensor.
// The same bytes on every instruction set and for every split of the work. No allocation.
#pragma once

#include <cstdint>

#include "cpu/kernels/common/range.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

struct AveragePoolParams {
    std::size_t batch = 1;
    std::size_t channels = 0;
    std::size_t src_height = 0, src_width = 0;
    std::size_t dst_height = 0, dst_width = 0;
    std::size_t kernel_height = 1, kernel_width = 1;  // of the size of src: global pooling
    std::size_t stride_height = 1, stride_width = 1;
    std::size_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
    bool include_padding = false;
    ElementType src_type = ElementType::u8;  // u8, i8
    ElementType dst_type = ElementType::u8;  // u8, i8, f32
    std::int32_t src_zero_point = 0;
    float scale = 1.0f;
    float shift = 0.0f;
    // Elements from one pixel to the next; 0 means `channels`.
    std::size_t src_pixel_stride = 0;
    std::size_t dst_pixel_stride = 0;
};

// Throws fuseq::Error for what average_pool() does not take (it does not check again), a window
// without a single tap among it.
void check_average_pool(const AveragePoolParams& params);

// `pixels` of dst, of all images (batch * dst_height * dst_width), by `channels` of [0, channels):
// a global pooling has one pixel and is split by channels, best in multiples of 64.
void average_pool(
    const AveragePoolParams& params, const void* src, void* dst, Range pixels, Range channels);

}  // namespace fuseq::kernels
