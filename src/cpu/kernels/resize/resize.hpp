// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Nearest and linear resize of the two spatial axes of channels-last u8, i8 or f32. Positions and
// weights are tables made once, one for each axis. For each output element:
//
//   nearest: x = src[y.low][x.low]
//   linear:  left  = fma(src[y.high][x.low] - src[y.low][x.low], wy, src[y.low][x.low])
//            right = the same in column x.high
//            x     = fma(right - left, wx, left)
//   v = fma(x, scale, shift); dst = v, or v rounded half to even and saturated (u8, i8)
//
// The same bytes on every instruction set and for every split of the rows. No allocation at run.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/kernels/common/range.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

// How an output position becomes a source position; the names of OpenVINO's Interpolate-4.
enum class ResizeCoordinates {
    kHalfPixel,         // (x + 0.5) / scale - 0.5
    kPytorchHalfPixel,  // the same, 0 when the output length is 1
    kAsymmetric,        // x / scale
    kTfHalfPixel,       // (x + 0.5) / scale
    kAlignCorners,      // x * (in - 1) / (out - 1), 0 when the output length is 1
};

enum class ResizeNearest { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil, kSimple };

// For each output position: both neighbours and the weight of the higher one.
struct ResizeAxis {
    std::vector<std::uint32_t> low;
    std::vector<std::uint32_t> high;  // empty: nearest
    std::vector<float> weight;
};

// `scale` is output length / input length or what the operation says instead (shape calculation
// mode "scales"). Positions outside of the input are moved to its ends. Throw fuseq::Error for
// lengths of 0 or above 2^31 and for scales that are not positive and finite.
ResizeAxis nearest_axis(std::size_t src_length,
                        std::size_t dst_length,
                        double scale,
                        ResizeCoordinates coordinates,
                        ResizeNearest nearest);
ResizeAxis linear_axis(std::size_t src_length,
                       std::size_t dst_length,
                       double scale,
                       ResizeCoordinates coordinates);

struct ResizeParams {
    std::size_t batch = 1;
    std::size_t channels = 0;
    std::size_t src_height = 0, src_width = 0;
    ResizeAxis rows;                         // dst height is their number
    ResizeAxis columns;                      // dst width; linear when and only when rows is
    ElementType src_type = ElementType::u8;  // u8, i8, f32
    ElementType dst_type = ElementType::u8;
    float scale = 1.0f;
    float shift = 0.0f;
    // Elements from one pixel to the next; 0 means `channels`.
    std::size_t src_pixel_stride = 0;
    std::size_t dst_pixel_stride = 0;
};

// Throws fuseq::Error for what resize() does not take; resize() does not check again.
void check_resize(const ResizeParams& params);
// Output rows of all images (batch * dst height).
void resize(const ResizeParams& params, const void* src, void* dst, Range rows);
// Of a linear one: pixels `columns` of one output row, x as floats, side by side at dst. What follows
// is computed while they are in the cache; scale, shift, dst_type and its stride do not count.
void resize_pixels(
    const ResizeParams& params, const void* src, float* dst, std::size_t row, Range columns);

}  // namespace fuseq::kernels
