// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps between the user's tensors and the plan's: planar [N, C, H, W] to channels-last
// [N, H, W, C] and back, with a linear function a channel and the conversion of the elements in
// the same pass:
//
//   v   = fma(float(src), scale[c], shift[c])          one rounding
//   v   = fma(clip(round(v), low, high), scale2[c], shift2[c])     where it is quantized on the way
//   dst = v, or v rounded half to even and saturated (u8, i8)
//
// Without scale and shift, elements of the same type are copied bit by bit.
// The same bytes on every instruction set and for every split of the pixels. No allocation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "cpu/kernels/common/range.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

// A quantization between the two linear functions: of an input that is quantized, scaled and
// quantized again.
struct IoReorderLevels {
    float low = 0.0f;
    float high = 255.0f;
    std::span<const float> scale{};  // `channels` values each, or none for 1 and 0
    std::span<const float> shift{};
};

struct IoReorderParams {
    std::size_t batch = 1;
    std::size_t channels = 0;
    std::size_t pixels = 0;                   // of one image: height x width (x depth)
    ElementType src_type = ElementType::f32;  // u8, i8, f32
    ElementType dst_type = ElementType::u8;   // u8, i8, f32
    // `channels` values each, or none for 1 and 0.
    std::span<const float> scale{};
    std::span<const float> shift{};
    std::optional<IoReorderLevels> levels{};
    // Elements from one pixel to the next of the channels-last tensor; 0 means `channels`.
    std::size_t pixel_stride = 0;
    // Elements from one channel to the next of the planes; 0 means `pixels`. More for one image of
    // which the pixels are a part.
    std::size_t plane_stride = 0;
};

// Throws fuseq::Error for types and sizes that the two functions below do not take. They do not
// check again.
void check_io_reorder(const IoReorderParams& params);

// `pixels` counts those of all images (batch * pixels in all); multiples of 64 are fast.
void to_channels_last(const IoReorderParams& params, const void* src, void* dst, Range pixels);
void from_channels_last(const IoReorderParams& params, const void* src, void* dst, Range pixels);

}  // namespace fuseq::kernels
