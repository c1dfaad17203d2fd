// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/reduce/quantized_average.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/reduce/quantized_average.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/eltwise/rounded_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

using TagF32 = hn::RebindToFloat<TagI32>;
using VecF32 = hn::Vec<TagF32>;

// Half away from zero.
HWY_INLINE VecF32 rounded_away(VecF32 x) {
    const TagF32 d;
    const VecF32 whole = hn::Trunc(x);
    const VecF32 one = hn::CopySign(hn::Set(d, 1.0f), x);
    const auto up = hn::Ge(hn::Abs(hn::Sub(x, whole)), hn::Set(d, 0.5f));
    return hn::Add(whole, hn::IfThenElseZero(up, one));
}

// A mean of real values on the grid of dst.
HWY_INLINE VecI32 on_grid_of(const QuantizedAverageParams& p, VecF32 mean) {
    const TagF32 d;
    const VecF32 steps = hn::Div(mean, hn::Set(d, p.dst_scale));
    const bool zero_first = p.rounding == AverageRounding::kZeroFirst;
    const std::int32_t zero = zero_first ? 0 : p.dst_zero_point;
    const VecF32 rounded =
        p.rounding == AverageRounding::kHalfAway
            ? rounded_away(steps)
            : hn::Round(zero_first
                            ? hn::Add(steps, hn::Set(d, static_cast<float>(p.dst_zero_point)))
                            : steps);
    const VecF32 low = hn::Set(d, static_cast<float>(p.lowest - zero));
    const VecF32 high = hn::Set(d, static_cast<float>(p.highest - zero));
    const VecF32 clamped = hn::Min(hn::Max(rounded, low), high);
    return hn::Add(hn::ConvertTo(TagI32(), clamped), hn::Set(TagI32(), zero));
}

// Channels [at, at + count), at most a vector of them, of one pixel.
template <class Byte>
HWY_INLINE VecI32 load_channels(const std::uint8_t* pixel, std::size_t at, std::size_t count) {
    const auto* const from = reinterpret_cast<const Byte*>(pixel) + at;
    if (count == hn::Lanes(TagI32())) {
        return load_elements(from);
    }
    HWY_ALIGN Byte some[HWY_MAX_BYTES] = {};
    std::memcpy(some, from, count);
    return load_elements(some);
}

template <class Byte>
HWY_INLINE VecI32 real_average(const QuantizedAverageParams& p,
                               std::span<const std::uint8_t* const> pixels,
                               std::int32_t divisor,
                               std::size_t at,
                               std::size_t count) {
    const TagF32 d;
    const VecI32 zero_point = hn::Set(TagI32(), p.src_zero_point);
    const VecF32 scale = hn::Set(d, p.src_scale);
    VecF32 sum = hn::Zero(d);
    for (const std::uint8_t* pixel : pixels) {
        const VecI32 q = load_channels<Byte>(pixel, at, count);
        sum = hn::Add(sum, hn::Mul(hn::ConvertTo(d, hn::Sub(q, zero_point)), scale));
    }
    return on_grid_of(p, hn::Div(sum, hn::Set(d, static_cast<float>(divisor))));
}

template <class Byte>
HWY_INLINE VecI32 raw_average(const QuantizedAverageParams& p,
                              std::span<const std::uint8_t* const> pixels,
                              std::int32_t divisor,
                              std::size_t at,
                              std::size_t count) {
    const TagI32 d;
    VecI32 sum = hn::Zero(d);
    for (const std::uint8_t* pixel : pixels) {
        sum = hn::Add(sum, load_channels<Byte>(pixel, at, count));
    }
    HWY_ALIGN std::int32_t lanes[HWY_MAX_BYTES / sizeof(std::int32_t)];
    hn::Store(sum, d, lanes);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
        const std::int32_t half = lanes[i] > 0 ? divisor / 2 : -(divisor / 2);  // away from zero
        lanes[i] = std::clamp((lanes[i] + half) / divisor, p.lowest, p.highest);
    }
    return hn::Load(d, lanes);
}

template <class Byte>
void average(const QuantizedAverageParams& p,
             std::span<const std::uint8_t* const> pixels,
             std::int32_t divisor,
             std::size_t channels,
             std::uint8_t* dst) {
    const std::size_t lanes = hn::Lanes(TagI32());
    HWY_ALIGN Byte some[HWY_MAX_BYTES];
    for (std::size_t c = 0; c < channels; c += lanes) {
        const std::size_t count = std::min(lanes, channels - c);
        const VecI32 value = p.rounding == AverageRounding::kRawHalfAway
                                 ? raw_average<Byte>(p, pixels, divisor, c, count)
                                 : real_average<Byte>(p, pixels, divisor, c, count);
        store_elements(value, some);
        std::memcpy(dst + c, some, count);
    }
}

void quantized_average_impl(const QuantizedAverageParams& p,
                            std::span<const std::uint8_t* const> pixels,
                            std::int32_t divisor,
                            std::size_t channels,
                            std::uint8_t* dst) {
    p.is_signed ? average<std::int8_t>(p, pixels, divisor, channels, dst)
                : average<std::uint8_t>(p, pixels, divisor, channels, dst);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(quantized_average_impl);

void quantized_average(const QuantizedAverageParams& params,
                       std::span<const std::uint8_t* const> pixels,
                       std::int32_t divisor,
                       std::size_t channels,
                       std::uint8_t* dst) {
    HWY_DYNAMIC_DISPATCH(quantized_average_impl)(params, pixels, divisor, channels, dst);
}

}  // namespace fuseq::kernels
#endif
