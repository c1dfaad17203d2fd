// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/pool/average_pool.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "fuseq/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/pool/average_pool.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

// The taps of one output pixel that lie inside of src.
template <class Src>
struct Window {
    const Src* first;  // channel 0 of the first tap
    std::size_t rows;
    std::size_t columns;
    std::size_t row_stride;
    std::size_t pixel_stride;
    std::int32_t zero;  // src_zero_point * taps
    float scale;
};

struct Span {
    std::size_t begin;
    std::size_t end;
    std::size_t counted;  // with the padding that counts
};

HWY_INLINE Span window_of(
    std::size_t at, std::size_t pad, std::size_t kernel, std::size_t size, std::size_t pad_after) {
    const std::size_t end_padded = std::min(at + kernel, size + pad + pad_after);
    const std::size_t begin = at > pad ? at - pad : 0;
    const std::size_t end = std::min(end_padded > pad ? end_padded - pad : 0, size);
    return {std::min(begin, end), end, end_padded - std::min(at, end_padded)};
}

template <class Src>
HWY_INLINE Window<Src> make_window(const AveragePoolParams& p, const Src* src, std::size_t pixel) {
    const std::size_t stride = p.src_pixel_stride == 0 ? p.channels : p.src_pixel_stride;
    const std::size_t x = pixel % p.dst_width;
    const std::size_t y = pixel / p.dst_width % p.dst_height;
    const std::size_t image = pixel / p.dst_width / p.dst_height;
    const Span rows =
        window_of(y * p.stride_height, p.pad_top, p.kernel_height, p.src_height, p.pad_bottom);
    const Span columns =
        window_of(x * p.stride_width, p.pad_left, p.kernel_width, p.src_width, p.pad_right);
    const std::size_t height = rows.end - rows.begin;
    const std::size_t width = columns.end - columns.begin;
    const std::size_t taps = height * width;
    const std::size_t count = p.include_padding ? rows.counted * columns.counted : taps;
    const std::size_t first = (image * p.src_height + rows.begin) * p.src_width + columns.begin;
    return {src + first * stride,
            height,
            width,
            p.src_width * stride,
            stride,
            static_cast<std::int32_t>(taps) * p.src_zero_point,
            p.scale / static_cast<float>(count)};
}

// Sums a vector of channels: 16-bit sums of up to 128 taps, which fit, then 32-bit ones.
template <class Src, class V32>
HWY_INLINE void sum_channels(const Window<Src>& window, std::size_t channel, V32& low, V32& high) {
    const hn::ScalableTag<std::int16_t> d16;
    const hn::ScalableTag<std::int32_t> d32;
    const hn::Rebind<Src, decltype(d16)> d8;
    const hn::Half<decltype(d16)> half;
    auto sum = hn::Zero(d16);
    std::size_t taps = 0;
    for (std::size_t r = 0; r < window.rows; ++r) {
        const Src* tap = window.first + r * window.row_stride + channel;
        for (std::size_t c = 0; c < window.columns; ++c, tap += window.pixel_stride) {
            sum = hn::Add(sum, hn::PromoteTo(d16, hn::LoadU(d8, tap)));
            if (++taps == 128) {
                low = hn::Add(low, hn::PromoteTo(d32, hn::LowerHalf(half, sum)));
                high = hn::Add(high, hn::PromoteTo(d32, hn::UpperHalf(half, sum)));
                sum = hn::Zero(d16);
                taps = 0;
            }
        }
    }
    low = hn::Add(low, hn::PromoteTo(d32, hn::LowerHalf(half, sum)));
    high = hn::Add(high, hn::PromoteTo(d32, hn::UpperHalf(half, sum)));
}

template <class Src>
std::int32_t sum_channel(const Window<Src>& window, std::size_t channel) {
    std::int32_t sum = 0;
    for (std::size_t r = 0; r < window.rows; ++r) {
        const Src* tap = window.first + r * window.row_stride + channel;
        for (std::size_t c = 0; c < window.columns; ++c) {
            sum += tap[c * window.pixel_stride];
        }
    }
    return sum;
}

template <class D, class Dst>
HWY_INLINE void store_sum(D d, hn::Vec<D> sum, float scale, float shift, Dst* to) {
    store_float(d, fused_mul_add(d, sum, hn::Set(d, scale), hn::Set(d, shift)), to);
}

template <class Src, class Dst>
void pool(const AveragePoolParams& p,
          const void* src_data,
          void* dst_data,
          Range pixels,
          Range channels) {
    const hn::ScalableTag<float> df;
    const hn::ScalableTag<std::int32_t> d32;
    const hn::FixedTag<float, 1> one;
    const std::size_t lanes = hn::Lanes(d32);
    const std::size_t dst_stride = p.dst_pixel_stride == 0 ? p.channels : p.dst_pixel_stride;
    for (std::size_t pixel = pixels.begin; pixel < pixels.end; ++pixel) {
        const auto window = make_window(p, static_cast<const Src*>(src_data), pixel);
        Dst* dst = static_cast<Dst*>(dst_data) + pixel * dst_stride;
        std::size_t c = channels.begin;
        for (; c + 2 * lanes <= channels.end; c += 2 * lanes) {
            auto low = hn::Set(d32, -window.zero);
            auto high = low;
            sum_channels(window, c, low, high);
            store_sum(df, hn::ConvertTo(df, low), window.scale, p.shift, dst + c);
            store_sum(df, hn::ConvertTo(df, high), window.scale, p.shift, dst + c + lanes);
        }
        for (; c < channels.end; ++c) {
            const auto sum = static_cast<float>(sum_channel(window, c) - window.zero);
            store_sum(one, hn::Set(one, sum), window.scale, p.shift, dst + c);
        }
    }
}

template <class Src>
void pool_to(const AveragePoolParams& p, const void* src, void* dst, Range pixels, Range channels) {
    with_element(p.dst_type, [&](auto element) {
        pool<Src, decltype(element)>(p, src, dst, pixels, channels);
    });
}

void average_pool_impl(
    const AveragePoolParams& p, const void* src, void* dst, Range pixels, Range channels) {
    if (p.src_type == ElementType::u8) {
        pool_to<std::uint8_t>(p, src, dst, pixels, channels);
    } else {
        pool_to<std::int8_t>(p, src, dst, pixels, channels);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(average_pool_impl);

namespace {

// Whether every window of an axis has a tap inside of src.
bool windows_hit(
    std::size_t dst, std::size_t stride, std::size_t kernel, std::size_t pad, std::size_t src) {
    return kernel > pad && (dst - 1) * stride < src + pad;
}

}  // namespace

void check_average_pool(const AveragePoolParams& p) {
    if ((p.src_type != ElementType::u8 && p.src_type != ElementType::i8) ||
        (p.dst_type != ElementType::u8 && p.dst_type != ElementType::i8 &&
         p.dst_type != ElementType::f32)) {
        throw Error("compile", "average pool kernel: " + to_string(p.src_type) + " to " +
                                   to_string(p.dst_type));
    }
    constexpr std::size_t kMaxTaps = 4 * 1024 * 1024;  // sums fit in 32 bits
    const std::size_t sizes[] = {p.batch,         p.channels,    p.src_height,    p.src_width,
                                 p.dst_height,    p.dst_width,   p.kernel_height, p.kernel_width,
                                 p.stride_height, p.stride_width};
    for (const std::size_t size : sizes) {
        if (size == 0 || size > (std::size_t{1} << 31)) {
            throw Error("compile", fmt::format("average pool kernel: a size of {}", size));
        }
    }
    if (std::min(p.kernel_height, p.src_height) * std::min(p.kernel_width, p.src_width) >
        kMaxTaps) {
        throw Error("compile", fmt::format("average pool kernel: window {}x{}, at most {} taps",
                                           p.kernel_height, p.kernel_width, kMaxTaps));
    }
    if (!windows_hit(p.dst_height, p.stride_height, p.kernel_height, p.pad_top, p.src_height) ||
        !windows_hit(p.dst_width, p.stride_width, p.kernel_width, p.pad_left, p.src_width)) {
        throw Error("compile", "average pool kernel: a window lies in the padding");
    }
    if ((p.src_pixel_stride != 0 && p.src_pixel_stride < p.channels) ||
        (p.dst_pixel_stride != 0 && p.dst_pixel_stride < p.channels)) {
        throw Error("compile", "average pool kernel: pixel stride below the number of channels");
    }
}

void average_pool(
    const AveragePoolParams& params, const void* src, void* dst, Range pixels, Range channels) {
    HWY_DYNAMIC_DISPATCH(average_pool_impl)(params, src, dst, pixels, channels);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
