// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/sigmoid_lines.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/eltwise/sigmoid_lines.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/rows_16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<std::int32_t>;
using TagU = hn::RebindToUnsigned<Tag>;
using TagHalf = hn::Rebind<std::int16_t, Tag>;

// A vector of values.
HWY_INLINE void lines_of(const SigmoidLines& p, const std::int16_t* src, std::int16_t* dst) {
    const Tag d;
    const TagU u;
    const auto x = hn::PromoteTo(d, hn::LoadU(TagHalf(), src));
    const auto v = hn::ShiftRightSame(
        hn::Add(hn::Mul(x, hn::Set(d, p.multiplier)), hn::Set(d, p.nudge)), p.right_shift);
    const auto sign = hn::BroadcastSignBit(v);
    const auto magnitude = hn::BitCast(u, hn::Sub(hn::Xor(v, sign), sign));
    const auto index = hn::Min(hn::ShiftRightSame(magnitude, p.bits), hn::Set(u, 255));
    const auto rest = hn::And(magnitude, hn::Set(u, (1U << p.bits) - 1));
    const auto line = hn::GatherIndex(u, p.lines.data(), hn::BitCast(d, index));
    const auto from = hn::ShiftLeftSame(hn::And(line, hn::Set(u, 0xFFFF)), p.bits);
    const auto y = hn::BitCast(d, hn::Add(from, hn::Mul(hn::ShiftRight<16>(line), rest)));
    const auto offset =
        hn::IfNegativeThenElse(sign, hn::Set(d, p.negative_offset), hn::Set(d, p.offset));
    const auto sum = hn::Add(hn::Sub(hn::Xor(y, sign), sign), offset);
    hn::StoreU(hn::DemoteTo(TagHalf(), hn::ShiftRightSame(sum, p.dropped)), TagHalf(), dst);
}

void sigmoid_by_lines_impl(const SigmoidLines& lines,
                           const std::int16_t* src,
                           std::size_t count,
                           std::int16_t* dst) {
    over_row_16(src, count, dst, [&](const std::int16_t* from, std::int16_t* to) HWY_ATTR {
        lines_of(lines, from, to);
    });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(sigmoid_by_lines_impl);

void sigmoid_by_lines(const SigmoidLines& lines,
                      const std::int16_t* src,
                      std::size_t count,
                      std::int16_t* dst) {
    HWY_DYNAMIC_DISPATCH(sigmoid_by_lines_impl)(lines, src, count, dst);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
