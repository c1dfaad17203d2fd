// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/reduce/softmax_16.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/reduce/softmax_16.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/rows_16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<std::int32_t>;
using TagHalf = hn::Rebind<std::int16_t, Tag>;
using Vec = hn::Vec<Tag>;

std::int32_t powers_impl(std::span<const std::int16_t> powers,
                         const std::int16_t* src,
                         std::size_t size,
                         std::int16_t* dst) {
    const Tag d;
    const std::size_t lanes = hn::Lanes(d);
    const std::int32_t top = *std::max_element(src, src + size);
    const auto last = static_cast<std::int32_t>(powers.size()) - 1;
    Vec sums = hn::Zero(d);
    std::size_t i = 0;
    for (; i + lanes <= size; i += lanes) {
        const Vec distance =
            hn::Sub(hn::Set(d, top), hn::PromoteTo(d, hn::LoadU(TagHalf(), src + i)));
        const Vec bytes = hn::ShiftLeft<1>(hn::Min(distance, hn::Set(d, last)));
        const Vec both =
            hn::GatherOffset(d, reinterpret_cast<const std::int32_t*>(powers.data()), bytes);
        const Vec power = hn::And(both, hn::Set(d, 0xFFFF));
        sums = hn::Add(sums, power);
        hn::StoreU(hn::DemoteTo(TagHalf(), power), TagHalf(), dst + i);
    }
    std::int32_t sum = hn::GetLane(hn::SumOfLanes(d, sums));
    for (; i < size; ++i) {
        dst[i] = powers[static_cast<std::size_t>(std::min(top - src[i], last))];
        sum += dst[i];
    }
    return sum;
}

HWY_INLINE Vec share_of(Vec power, const Softmax16Shares& p) {
    const Tag d;
    const Vec half = hn::Set(d, std::int32_t{1} << (p.shift - 1));
    const Vec share =
        hn::ShiftRightSame(hn::Add(hn::Mul(power, hn::Set(d, p.factor)), half), p.shift);
    return hn::Min(hn::Max(share, hn::Set(d, p.lowest)), hn::Set(d, p.highest));
}

void shares_impl(const Softmax16Shares& shares, std::size_t size, std::int16_t* powers) {
    over_row_16(powers, size, powers, [&](const std::int16_t* from, std::int16_t* to) HWY_ATTR {
        const Vec power = hn::PromoteTo(Tag(), hn::LoadU(TagHalf(), from));
        hn::StoreU(hn::DemoteTo(TagHalf(), share_of(power, shares)), TagHalf(), to);
    });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(powers_impl);
HWY_EXPORT(shares_impl);

std::int32_t softmax_16_powers(std::span<const std::int16_t> powers,
                               const std::int16_t* src,
                               std::size_t size,
                               std::int16_t* dst) {
    return HWY_DYNAMIC_DISPATCH(powers_impl)(powers, src, size, dst);
}

void softmax_16_shares(const Softmax16Shares& shares, std::size_t size, std::int16_t* powers) {
    HWY_DYNAMIC_DISPATCH(shares_impl)(shares, size, powers);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
