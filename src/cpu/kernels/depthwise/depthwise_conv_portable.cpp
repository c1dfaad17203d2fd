// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution of any kernel on any target: taps in pairs, widened to 16 bits, whose
// products are added in 32 bits. One output pixel at a time.
#include <algorithm>
#include <cstring>

#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/depthwise/depthwise_conv_portable.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels::depthwise {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V = hn::Vec<D> >
HWY_INLINE V finish_value(D d, const Epilogue& e, const Block& block, std::size_t at, V v) {
    v = fuseq::kernels::HWY_NAMESPACE::fused_mul_add(d, v, hn::Load(d, block.scale + at),
                                                     hn::Load(d, block.bias + at));
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
HWY_INLINE hn::Vec<hn::FixedTag<std::int16_t, N> > load_tap(const std::uint8_t* from,
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

// N channels, in order, of which the first `channels` are wanted.
template <std::size_t N, class VF>
HWY_INLINE void store_block(
    Store store, std::size_t channels, VF lower, VF upper, std::uint8_t* dst) {
    const hn::FixedTag<float, N / 2> df;
    const hn::FixedTag<std::int16_t, N> d16;
    alignas(64) std::uint8_t some[N * 4];
    if (store == Store::kF32) {
        alignas(64) float low[N / 2];
        alignas(64) float high[N / 2];
        hn::Store(lower, df, low);
        hn::Store(upper, df, high);
        for (std::size_t i = 0; i < N; ++i) {
            const float v = i % 8 < 4 ? low[i / 8 * 4 + i % 4] : high[i / 8 * 4 + i % 4];
            std::memcpy(some + 4 * i, &v, sizeof(v));
        }
        std::memcpy(dst, some, channels * sizeof(float));
        return;
    }
    const auto words = hn::ReorderDemote2To(d16, hn::NearestInt(lower), hn::NearestInt(upper));
    if (store == Store::kU8) {
        const hn::FixedTag<std::uint8_t, N> d8;
        hn::Store(hn::DemoteTo(d8, words), d8, some);
    } else {
        const hn::FixedTag<std::int8_t, N> d8;
        hn::Store(hn::DemoteTo(d8, words), d8, reinterpret_cast<std::int8_t*>(some));
    }
    if (channels == N) {
        std::memcpy(dst, some, N);
    } else {
        std::memcpy(dst, some, channels);
    }
}

template <std::size_t N, bool Signed>
void run_pixel(const Packed& packed,
               const Block& block,
               const std::uint8_t* const* taps,
               std::uint8_t* dst) {
    const hn::FixedTag<std::int16_t, N> d16;
    const hn::FixedTag<std::int32_t, N / 2> d32;
    const hn::FixedTag<float, N / 2> df;
    const std::size_t count = packed.shape.kernel_height * packed.shape.kernel_width;
    auto lower = hn::Load(d32, block.init);
    auto upper = hn::Load(d32, block.init + N / 2);
    auto unused = hn::Zero(d32);
    const auto* wei = reinterpret_cast<const std::int16_t*>(block.wei);
    for (std::size_t t = 0; t < count; t += 2, wei += 2 * N) {
        const auto a = load_tap<N, Signed>(taps[t], block.channels);
        const auto b = load_tap<N, Signed>(taps[std::min(t + 1, count - 1)], block.channels);
        lower = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveLower(d16, a, b),
                                              hn::Load(d16, wei), lower, unused);
        upper = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveUpper(d16, a, b),
                                              hn::Load(d16, wei + N), upper, unused);
    }
    const Epilogue& e = packed.epilogue;
    const auto low = finish_value(df, e, block, 0, hn::ConvertTo(df, lower));
    const auto high = finish_value(df, e, block, N / 2, hn::ConvertTo(df, upper));
    store_block<N>(e.store, block.channels, low, high, dst);
}

template <std::size_t N, bool Signed>
void run_rows(
    const Packed& packed, const std::uint8_t* src, std::uint8_t* dst, Range rows, Range blocks) {
    const DepthwiseShape& s = packed.shape;
    const std::size_t element = dst_size(packed.epilogue.store);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        const std::size_t image = row / s.dst_height;
        const std::size_t y = row % s.dst_height;
        for (std::size_t x = 0; x < s.dst_width; ++x) {
            const std::uint8_t* taps[kMaxTaps];
            const std::size_t count = s.kernel_height * s.kernel_width;
            std::size_t channel = packed.blocks[blocks.begin].first_channel;
            collect_taps(packed, src, image, y, x, channel, taps);
            std::uint8_t* pixel = dst + (row * s.dst_width + x) * s.dst_pixel_stride * element;
            for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
                const Block& block = packed.blocks[b];
                for (std::size_t t = 0; t < count; ++t) {
                    taps[t] += block.first_channel - channel;
                }
                channel = block.first_channel;
                run_pixel<N, Signed>(packed, block, taps, pixel + channel * element);
            }
        }
    }
}

template <std::size_t N>
RunFunction choose_sign(bool is_signed) {
    return is_signed ? &run_rows<N, true> : &run_rows<N, false>;
}

PortableRun choose(std::size_t channels, bool is_signed) {
    constexpr std::size_t kLanes = HWY_MAX_BYTES / 2;
    const char* name = hwy::TargetName(HWY_TARGET);
    if (kLanes >= 32 && channels >= 32) {
        return {choose_sign<HWY_MIN(kLanes, 32)>(is_signed), 32, name};
    }
    if (kLanes >= 16 && channels >= 16) {
        return {choose_sign<HWY_MIN(kLanes, 16)>(is_signed), 16, name};
    }
    return {choose_sign<8>(is_signed), 8, name};
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels::depthwise
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels::depthwise {

HWY_EXPORT(choose);

namespace {

// Pairs of taps. The interleave of two vectors of 16-bit integers puts channels 8i .. 8i+3 into its
// lower half and 8i+4 .. 8i+7 into the upper one.
Order pair_order(const DepthwiseShape& s, std::size_t block_channels, std::size_t channels) {
    Order order;
    order.bytes_per_tap = 2;
    for (std::size_t half = 0; half < 2; ++half) {
        for (std::size_t i = 0; i < block_channels / 2; ++i) {
            const std::size_t channel = i / 4 * 8 + half * 4 + i % 4;
            order.slots.push_back(channel < channels ? static_cast<std::ptrdiff_t>(channel) : -1);
        }
    }
    const std::size_t count = s.kernel_height * s.kernel_width;
    for (std::size_t t = 0; t < count; t += 2) {
        Taps taps(2);
        for (std::size_t i = 0; i < 2 && t + i < count; ++i) {
            taps[i] = {static_cast<std::ptrdiff_t>((t + i) / s.kernel_width),
                       static_cast<std::ptrdiff_t>((t + i) % s.kernel_width)};
        }
        order.entries.push_back({std::move(taps)});
    }
    return order;
}

}  // namespace

Path portable_path(const DepthwiseShape& shape, bool src_signed) {
    const PortableRun chosen = HWY_DYNAMIC_DISPATCH(choose)(shape.src_channels, src_signed);
    Path path;
    path.run = chosen.run;
    path.name = std::string("dw_portable:") + chosen.target;
    path.block_channels = chosen.block_channels;
    path.max_alone = 0;
    path.order = pair_order;
    return path;
}

}  // namespace fuseq::kernels::depthwise
#endif  // HWY_ONCE
