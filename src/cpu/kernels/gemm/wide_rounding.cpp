// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/wide_rounding.hpp"

#include <algorithm>
#include <limits>

#include "cpu/kernels/gemm/wide_product.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/wide_rounding.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<std::int64_t>;
using TagU = hn::RebindToUnsigned<Tag>;
using Vec = hn::Vec<Tag>;
using VecU = hn::Vec<TagU>;

// The lower 64 bits of x * mantissa, which has at most 32.
HWY_INLINE Vec product(Vec x, VecU mantissa) {
    const TagU u;
    const hn::Repartition<std::uint32_t, Tag> u32;
    const VecU bits = hn::BitCast(u, x);
    const auto by = hn::BitCast(u32, mantissa);
    const VecU low = hn::MulEven(hn::BitCast(u32, bits), by);
    const VecU high = hn::MulEven(hn::BitCast(u32, hn::ShiftRight<32>(bits)), by);
    return hn::BitCast(Tag(), hn::Add(low, hn::ShiftLeft<32>(high)));
}

// Halves up; a shift with the sign, which not all targets have.
HWY_INLINE Vec shifted(Vec x, VecU shift) {
    const Tag d;
    const TagU u;
    const VecU half = hn::ShiftRight<1>(hn::Set(u, 1) << shift);
    const Vec nudged = hn::Add(x, hn::BitCast(d, half));
    const Vec sign = hn::BroadcastSignBit(nudged);
    const VecU magnitude = hn::BitCast(u, hn::Xor(nudged, sign)) >> shift;
    return hn::Xor(hn::BitCast(d, magnitude), sign);
}

void round_wide_row(const WideRounding& rounding,
                    const std::int64_t* sums,
                    const std::int64_t* offsets,
                    std::size_t channel,
                    std::size_t count,
                    std::int16_t* dst) {
    const Tag d;
    const TagU u;
    const hn::Rebind<std::uint16_t, Tag> u16;
    const std::size_t lanes = hn::Lanes(d);
    const Vec least_sum = hn::Set(d, std::numeric_limits<std::int32_t>::min());
    const Vec largest_sum = hn::Set(d, std::numeric_limits<std::int32_t>::max());
    const WideGrid& grid = rounding.grid();
    const Vec zero_point = hn::Set(d, grid.zero_point);
    const Vec lowest = hn::Set(d, grid.lowest);
    const Vec highest = hn::Set(d, grid.highest);
    for (std::size_t i = 0; i < count; i += lanes) {
        const std::size_t c = channel + i;
        Vec sum = hn::Add(hn::Add(hn::LoadU(d, sums + i), hn::LoadU(d, offsets + i)),
                          hn::LoadU(d, rounding.bias() + c));
        if (rounding.saturates_sums()) {
            sum = hn::Min(hn::Max(sum, least_sum), largest_sum);
        }
        const Vec steps = shifted(product(sum, hn::LoadU(u, rounding.mantissa() + c)),
                                  hn::LoadU(u, rounding.shift() + c));
        const Vec value = hn::Min(hn::Max(hn::Add(steps, zero_point), lowest), highest);
        HWY_ALIGN std::uint16_t some[HWY_MAX_BYTES / sizeof(std::int64_t)];
        hn::Store(hn::TruncateTo(u16, hn::BitCast(u, value)), u16, some);
        for (std::size_t k = 0; k < std::min(lanes, count - i); ++k) {
            dst[i + k] = static_cast<std::int16_t>(some[k]);
        }
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(round_wide_row);

WideRounding::WideRounding(std::span<const std::int64_t> bias,
                           std::span<const WideMultiplier> multipliers,
                           const WideGrid& grid)
    : bias_(bias.begin(), bias.end()), grid_(grid) {
    const std::size_t padded = multipliers.size() + kWideGroup;
    bias_.resize(padded, 0);
    for (const WideMultiplier& m : multipliers) {
        mantissa_.push_back(static_cast<std::uint64_t>(m.mantissa));
        shift_.push_back(static_cast<std::uint64_t>(m.shift));
        saturates_sums_ = saturates_sums_ || m.mantissa > std::numeric_limits<std::int16_t>::max();
    }
    mantissa_.resize(padded, 0);
    shift_.resize(padded, 1);
}

void WideRounding::run(const std::int64_t* sums,
                       const std::int64_t* offsets,
                       std::size_t channel,
                       std::size_t count,
                       std::int16_t* dst) const {
    HWY_DYNAMIC_DISPATCH(round_wide_row)(*this, sums, offsets, channel, count, dst);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
