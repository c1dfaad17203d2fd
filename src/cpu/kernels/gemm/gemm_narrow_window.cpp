// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of windows of src without AVX-512 VNNI, which the zero points of weights are multiplied by:
// over the channels of a pixel, once for all windows that hold it, then over columns, then rows.
// Padding is the zero point, which is taken away from whole windows (of pairs both are zero).
#include <algorithm>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_narrow_window.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

std::int32_t sum_of(const std::int16_t* from, std::size_t count) {
    const hn::ScalableTag<std::int32_t> d;
    const hn::Repartition<std::int16_t, decltype(d)> d16;
    const auto ones = hn::Set(d16, std::int16_t{1});
    const std::size_t lanes = hn::Lanes(d16);
    auto sum = hn::Zero(d);
    auto unused = hn::Zero(d);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        sum = hn::ReorderWidenMulAccumulate(d, hn::LoadU(d16, from + i), ones, sum, unused);
    }
    std::int32_t total = hn::GetLane(hn::SumOfLanes(d, sum));
    for (; i < count; ++i) {
        total += from[i];
    }
    return total;
}

std::int32_t sum_of(const std::uint8_t* from, std::size_t count) {
    const hn::ScalableTag<std::uint64_t> d;
    const hn::Repartition<std::uint8_t, decltype(d)> d8;
    const std::size_t lanes = hn::Lanes(d8);
    auto sum = hn::Zero(d);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        sum = hn::Add(sum, hn::SumsOf8(hn::LoadU(d8, from + i)));
    }
    auto total = static_cast<std::int32_t>(hn::GetLane(hn::SumOfLanes(d, sum)));
    for (; i < count; ++i) {
        total += from[i];
    }
    return total;
}

// Of `pixels` pixels that are `step` bytes apart. `pairs`: their values are 16-bit integers.
void sum_channels(const std::uint8_t* src,
                  std::size_t step,
                  std::size_t channels,
                  std::size_t pixels,
                  bool pairs,
                  std::int32_t* sums) {
    for (std::size_t i = 0; i < pixels; ++i, src += step) {
        sums[i] = pairs ? sum_of(reinterpret_cast<const std::int16_t*>(src), channels)
                        : sum_of(src, channels);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(sum_channels);

namespace gemm {

namespace {

// What padding, and a pixel of the value of the zero point, adds to the sum of a window.
std::int32_t fill_of_window(const Packed& p) {
    const GemmShape& s = p.shape;
    return static_cast<std::int32_t>(p.fill * s.src_channels * s.kernel_height * s.kernel_width);
}

}  // namespace

std::size_t window_sum_bytes(const Packed& p) {
    const GemmShape& s = p.shape;
    if (p.mode != SourceMode::kRows) {
        return 2 * (std::min(p.block, p.units()) + kLanes) * sizeof(float);
    }
    const std::size_t width = p.pitch / p.pixel_bytes();
    return (width + (p.block + p.rows_read(p.block)) * s.dst_width + kLanes) * sizeof(float);
}

const float* narrow_sum_pixels(
    const Packed& p, const std::uint8_t* src, std::size_t step, std::size_t pixels, void* memory) {
    auto* sums = static_cast<float*>(memory);
    auto* whole = reinterpret_cast<std::int32_t*>(sums + pixels + kLanes);
    HWY_DYNAMIC_DISPATCH(sum_channels)
    (src, step, p.shape.src_channels, pixels, p.is_pairs(), whole);
    const std::int32_t fill = fill_of_window(p);
    std::transform(whole, whole + pixels, sums,
                   [fill](std::int32_t sum) { return static_cast<float>(sum - fill); });
    return sums;
}

const float* narrow_sum_windows(const Packed& p,
                                const std::uint8_t* src,
                                std::size_t count,
                                void* memory) {
    const GemmShape& s = p.shape;
    const std::size_t rows = p.rows_read(count);
    const std::size_t width = p.pitch / p.pixel_bytes();
    auto* sums = static_cast<float*>(memory);
    auto* columns = reinterpret_cast<std::int32_t*>(sums + count * s.dst_width + kLanes);
    std::int32_t* const pixels = columns + rows * s.dst_width;
    for (std::size_t r = 0; r < rows; ++r) {
        HWY_DYNAMIC_DISPATCH(sum_channels)
        (src + r * p.pitch, p.pixel_bytes(), s.src_channels, width, p.is_pairs(), pixels);
        for (std::size_t x = 0; x < s.dst_width; ++x) {
            std::int32_t sum = 0;
            for (std::size_t k = 0; k < s.kernel_width; ++k) {
                sum += pixels[x * s.stride_width + k * s.dilation_width];
            }
            columns[r * s.dst_width + x] = sum;
        }
    }
    for (std::size_t y = 0; y < count; ++y) {
        for (std::size_t x = 0; x < s.dst_width; ++x) {
            std::int32_t sum = -fill_of_window(p);
            for (std::size_t k = 0; k < s.kernel_height; ++k) {
                sum += columns[(y * s.stride_height + k * s.dilation_height) * s.dst_width + x];
            }
            sums[y * s.dst_width + x] = static_cast<float>(sum);
        }
    }
    return sums;
}

}  // namespace gemm
}  // namespace fuseq::kernels
#endif
