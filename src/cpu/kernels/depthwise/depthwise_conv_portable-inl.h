// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the depthwise kernels for any target share: a tap widened to 16 bits, the epilogue and the
// store. To be included once a target (the usual toggle of Highway's -inl.h files).
#if defined(FUSEQ_KERNELS_DEPTHWISE_PORTABLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_DEPTHWISE_PORTABLE_INL_H_
#undef FUSEQ_KERNELS_DEPTHWISE_PORTABLE_INL_H_
#else
#define FUSEQ_KERNELS_DEPTHWISE_PORTABLE_INL_H_
#endif

#include <cstring>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"
#include "cpu/kernels/depthwise/depthwise_rule-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels::depthwise {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V finish_value(D d, const Epilogue& e, const Block& block, std::size_t at, V v) {
    if (e.rule && *e.rule != RuleForm::kOneFloor) {
        v = value_of_rule(d, e, block, at, v);
    } else {
        v = fuseq::kernels::HWY_NAMESPACE::fused_mul_add(d, v, hn::Load(d, block.scale + at),
                                                         hn::Load(d, block.bias + at));
    }
    if (e.slope) {
        const auto sloped = hn::Mul(v, hn::Load(d, block.slope + at));
        v = hn::IfThenElse(hn::Gt(v, hn::Zero(d)), v, sloped);
    }
    if (e.shift != 0.0f) {
        v = hn::Add(v, hn::Set(d, e.shift));
    }
    if (e.clip) {
        v = hn::Min(hn::Max(v, hn::Set(d, e.low)), hn::Set(d, e.high));
    }
    return v;
}

// Loads `channels` of N bytes.
template <std::size_t N>
HWY_INLINE void load_some(const std::uint8_t* from, std::size_t channels, std::uint8_t* to) {
    for (std::size_t i = 0; i < channels; ++i) {
        to[i] = from[i];
    }
}

template <std::size_t N, bool Signed>
HWY_INLINE hn::Vec<hn::FixedTag<std::int16_t, N>> load_tap(const std::uint8_t* from,
                                                           std::size_t channels) {
    const hn::FixedTag<std::int16_t, N> d16;
    const hn::FixedTag<std::uint8_t, N> du8;
    hn::Vec<decltype(du8)> bytes;
    if (N == 8 && channels < N) {
        alignas(16) std::uint8_t some[N] = {};
        load_some<N>(from, channels, some);
        bytes = hn::Load(du8, some);
    } else {
        bytes = hn::LoadU(du8, from);
    }
    if constexpr (Signed) {
        return hn::PromoteTo(d16, hn::BitCast(hn::FixedTag<std::int8_t, N>(), bytes));
    } else {
        return hn::PromoteTo(d16, bytes);
    }
}

// The words of N channels, in order.
template <std::size_t N, class VF>
HWY_INLINE hn::Vec<hn::FixedTag<std::int16_t, N>> to_words(VF lower, VF upper) {
    // Values fit 32-bit integers (Epilogue::clip).
    using fuseq::kernels::HWY_NAMESPACE::round_raw;
    using VI = hn::Vec<hn::FixedTag<std::int32_t, N / 2>>;
    const hn::FixedTag<std::int16_t, N> d16;
    return hn::ReorderDemote2To(d16, VI{round_raw(lower.raw)}, VI{round_raw(upper.raw)});
}
// The first `channels` of them as bytes.
template <std::size_t N>
HWY_INLINE void store_words(Store store,
                            std::size_t channels,
                            hn::Vec<hn::FixedTag<std::int16_t, N>> words,
                            std::uint8_t* dst) {
    const hn::FixedTag<std::uint8_t, N> du8;
    const hn::FixedTag<std::int8_t, N> di8;
    const auto bytes =
        store == Store::kU8 ? hn::DemoteTo(du8, words) : hn::BitCast(du8, hn::DemoteTo(di8, words));
    if (channels == N) {
        hn::StoreU(bytes, du8, dst);
    } else {
        alignas(64) std::uint8_t some[N];
        hn::Store(bytes, du8, some);
        std::memcpy(dst, some, channels);
    }
}

// N channels in order: `lower` has the first four of each eight, `upper` the others.
template <std::size_t N, class VF>
HWY_INLINE void store_floats(VF lower, VF upper, float* to) {
    const hn::FixedTag<float, N / 2> df;
    if constexpr (N == 8) {
        hn::StoreU(lower, df, to);
        hn::StoreU(upper, df, to + 4);
    } else if constexpr (N == 16) {
        hn::StoreU(hn::ConcatLowerLower(df, upper, lower), df, to);
        hn::StoreU(hn::ConcatUpperUpper(df, upper, lower), df, to + 8);
    } else {
        alignas(64) float low[N / 2];
        alignas(64) float high[N / 2];
        hn::Store(lower, df, low);
        hn::Store(upper, df, high);
        for (std::size_t i = 0; i < N; ++i) {
            to[i] = i % 8 < 4 ? low[i / 8 * 4 + i % 4] : high[i / 8 * 4 + i % 4];
        }
    }
}

// N channels, in order, of which the first `channels` are wanted.
template <std::size_t N, class VF>
HWY_INLINE void store_block(
    Store store, std::size_t channels, VF lower, VF upper, std::uint8_t* dst) {
    if (store == Store::kF32) {
        alignas(64) std::uint8_t some[N * 4];
        auto* const floats = reinterpret_cast<float*>(channels == N ? dst : some);
        store_floats<N>(lower, upper, floats);
        if (channels != N) {
            std::memcpy(dst, some, channels * sizeof(float));
        }
        return;
    }
    store_words<N>(store, channels, to_words<N>(lower, upper), dst);
}

// Form<N, Signed>::kRun for the widest block of channels that target and tensor have.
template <template <std::size_t, bool> class Form>
PortableRun choose_block(std::size_t channels, bool is_signed) {
    constexpr std::size_t kLanes = HWY_MAX_BYTES / 2;
    const char* name = hwy::TargetName(HWY_TARGET);
    if (kLanes >= 32 && channels >= 32) {
        constexpr std::size_t kBlock = HWY_MIN(kLanes, 32);
        return {is_signed ? Form<kBlock, true>::kRun : Form<kBlock, false>::kRun, 32, name};
    }
    if (kLanes >= 16 && channels >= 16) {
        constexpr std::size_t kBlock = HWY_MIN(kLanes, 16);
        return {is_signed ? Form<kBlock, true>::kRun : Form<kBlock, false>::kRun, 16, name};
    }
    return {is_signed ? Form<8, true>::kRun : Form<8, false>::kRun, 8, name};
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels::depthwise
HWY_AFTER_NAMESPACE();

#endif  // toggle
