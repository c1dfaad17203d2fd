// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/dynamic_quantize.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/eltwise/dynamic_quantize.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

// Of NaN and a number, the number: x is compared, not the bound.
HWY_INLINE Vec smaller(Vec x, Vec bound) {
    return hn::IfThenElse(hn::Lt(x, bound), x, bound);
}
HWY_INLINE Vec larger(Vec x, Vec bound) {
    return hn::IfThenElse(hn::Gt(x, bound), x, bound);
}

ValueRange value_range_impl(const float* src, std::size_t count) {
    const Tag d;
    const std::size_t lanes = hn::Lanes(d);
    Vec min[2] = {hn::Zero(d), hn::Zero(d)};
    Vec max[2] = {hn::Zero(d), hn::Zero(d)};
    std::size_t i = 0;
    for (; i + 2 * lanes <= count; i += 2 * lanes) {
        for (std::size_t k = 0; k < 2; ++k) {
            const Vec x = hn::LoadU(d, src + i + k * lanes);
            min[k] = smaller(x, min[k]);
            max[k] = larger(x, max[k]);
        }
    }
    ValueRange range{hn::GetLane(hn::MinOfLanes(d, smaller(min[0], min[1]))),
                     hn::GetLane(hn::MaxOfLanes(d, larger(max[0], max[1])))};
    for (; i < count; ++i) {
        range.min = src[i] < range.min ? src[i] : range.min;
        range.max = src[i] > range.max ? src[i] : range.max;
    }
    return range;
}

// A vector of values to bytes.
template <class Byte>
struct Quantizer {
    Vec scale;
    Vec lowest;
    Vec highest;
    hn::Vec<hn::ScalableTag<std::int32_t>> zero_point;

    HWY_INLINE auto operator()(Vec x) const {
        const hn::Rebind<Byte, Tag> bytes;
        // Clamped before the conversion: far beyond the range it would be undefined.
        const Vec steps = hn::Min(larger(hn::Div(x, scale), lowest), highest);
        return hn::DemoteTo(bytes, hn::Add(hn::NearestInt(steps), zero_point));
    }
};

template <class Byte>
void quantize(const float* src, std::size_t count, float scale, Byte zero_point, Byte* dst) {
    const Tag d;
    const hn::Rebind<Byte, Tag> bytes;
    const auto zero = static_cast<float>(zero_point);
    const Quantizer<Byte> quantized{
        hn::Set(d, scale), hn::Set(d, static_cast<float>(std::numeric_limits<Byte>::min()) - zero),
        hn::Set(d, static_cast<float>(std::numeric_limits<Byte>::max()) - zero),
        hn::Set(hn::ScalableTag<std::int32_t>(), zero_point)};
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        hn::StoreU(quantized(hn::LoadU(d, src + i)), bytes, dst + i);
    }
    if (i < count) {
        HWY_ALIGN float some[HWY_MAX_BYTES / sizeof(float)] = {};
        HWY_ALIGN Byte made[HWY_MAX_BYTES / sizeof(float)] = {};
        std::copy_n(src + i, count - i, some);
        hn::StoreU(quantized(hn::Load(d, some)), bytes, made);
        std::memcpy(dst + i, made, count - i);
    }
}

void quantize_to_u8_impl(
    const float* src, std::size_t count, float scale, std::uint8_t zero_point, std::uint8_t* dst) {
    quantize(src, count, scale, zero_point, dst);
}
void quantize_to_i8_impl(
    const float* src, std::size_t count, float scale, std::int8_t zero_point, std::int8_t* dst) {
    quantize(src, count, scale, zero_point, dst);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(value_range_impl);
HWY_EXPORT(quantize_to_u8_impl);
HWY_EXPORT(quantize_to_i8_impl);

ValueRange value_range(const float* src, std::size_t count) {
    return HWY_DYNAMIC_DISPATCH(value_range_impl)(src, count);
}

void quantize_to_u8(
    const float* src, std::size_t count, float scale, std::uint8_t zero_point, std::uint8_t* dst) {
    HWY_DYNAMIC_DISPATCH(quantize_to_u8_impl)(src, count, scale, zero_point, dst);
}

void quantize_to_i8(
    const float* src, std::size_t count, float scale, std::int8_t zero_point, std::int8_t* dst) {
    HWY_DYNAMIC_DISPATCH(quantize_to_i8_impl)(src, count, scale, zero_point, dst);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
