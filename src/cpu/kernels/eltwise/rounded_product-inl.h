// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products with a multiplier, rounded, in vectors of 32 bits (rounded_product.hpp). To be included
// after hwy/highway.h, once a target.
#if defined(FUSEQ_KERNELS_ROUNDED_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_ROUNDED_PRODUCT_INL_H_
#undef FUSEQ_KERNELS_ROUNDED_PRODUCT_INL_H_
#else
#define FUSEQ_KERNELS_ROUNDED_PRODUCT_INL_H_
#endif

#include <cstdint>

#include "cpu/kernels/eltwise/rounded_product.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using TagI32 = hn::ScalableTag<std::int32_t>;
using TagF32 = hn::ScalableTag<float>;
using VecI32 = hn::Vec<TagI32>;
using VecF32 = hn::Vec<TagF32>;

struct VecMultiplier {
    VecI32 mantissa;
    VecI32 left;
    VecI32 away;
    VecI32 right;
    VecI32 last;
};

HWY_INLINE VecMultiplier all_lanes(const ShiftedMultiplier& m) {
    const TagI32 d;
    return {hn::Set(d, m.mantissa), hn::Set(d, m.left), hn::Set(d, m.away), hn::Set(d, m.right),
            hn::Set(d, m.last)};
}

// (x * m + 2^30) >> 31: of the doubled product the high half, half up, which is what gemmlowp's
// nudge and truncating division give. x > -2^31, m >= 0.
HWY_INLINE VecI32 high_half(VecI32 x, VecI32 mantissa) {
    const TagI32 d;
    const hn::RepartitionToWide<TagI32> d64;
    const hn::RebindToUnsigned<decltype(d64)> u64;
    const auto odd_lanes = [&](VecI32 v) {
        return hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(u64, v)));
    };
    const auto nudge = hn::Set(d64, std::int64_t{1} << 30);
    const auto even = hn::Add(hn::MulEven(x, mantissa), nudge);
    const auto odd = hn::Add(hn::MulEven(odd_lanes(x), odd_lanes(mantissa)), nudge);
    return hn::OddEven(hn::BitCast(d, hn::Add(odd, odd)),
                       hn::BitCast(d, hn::ShiftRight<31>(hn::BitCast(u64, even))));
}

// The last bit is shifted out alone: half of it is added where no sum can leave 32 bits.
HWY_INLINE VecI32 rounded_product(VecI32 x, const VecMultiplier& m) {
    const VecI32 high = high_half(x << m.left, m.mantissa);
    const VecI32 nudged = hn::Add(high, hn::And(hn::ShiftRight<31>(high), m.away));
    return hn::Add(nudged >> m.right, m.last) >> m.last;
}

HWY_INLINE VecI32 clamped(VecI32 x, const ByteGrid& grid) {
    const TagI32 d;
    return hn::Min(hn::Max(x, hn::Set(d, grid.lowest)), hn::Set(d, grid.highest));
}

HWY_INLINE VecI32 on_grid(VecI32 product, const ByteGrid& grid) {
    return clamped(hn::Add(product, hn::Set(TagI32(), grid.zero_point)), grid);
}

// `steps` without the zero point, or with it.
HWY_INLINE VecI32 rounded_to_grid(VecF32 steps, bool zero_is_in, const ByteGrid& grid) {
    const TagF32 d;
    const std::int32_t after = zero_is_in ? 0 : grid.zero_point;
    // Far beyond the range nothing changes; the conversion wants numbers of 32 bits.
    const auto low = hn::Set(d, static_cast<float>(grid.lowest - after - 1));
    const auto high = hn::Set(d, static_cast<float>(grid.highest - after + 1));
    const VecI32 rounded = hn::NearestInt(hn::Min(hn::Max(steps, low), high));
    return clamped(hn::Add(rounded, hn::Set(TagI32(), after)), grid);
}

// Bytes, or integers of 16 bits.
template <class Element>
HWY_INLINE VecI32 load_elements(const Element* from) {
    return hn::PromoteTo(TagI32(), hn::LoadU(hn::Rebind<Element, TagI32>(), from));
}

template <class Element>
HWY_INLINE void store_elements(VecI32 v, Element* to) {
    const hn::Rebind<Element, TagI32> narrow;
    hn::StoreU(hn::DemoteTo(narrow, v), narrow, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // FUSEQ_KERNELS_ROUNDED_PRODUCT_INL_H_
