// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The loops over vectors of small_conv_pairs.hpp.
#include <cstring>

#include "cpu/kernels/small_conv/small_conv_pairs.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/small_conv/small_conv_pairs_vectors.cpp"
#include <utility>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/small_conv/small_conv_pairs_fill-inl.h"
#include "cpu/kernels/small_conv/small_conv_pairs_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels::small_conv {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// 256 bits at most: wider vectors hold more parts of a pixel's sum than there are channels.
using D32 = hn::CappedTag<std::int32_t, 8>;
using D16 = hn::Repartition<std::int16_t, D32>;
using DF = hn::Rebind<float, D32>;
using V32 = hn::Vec<D32>;
using V16 = hn::Vec<D16>;
constexpr std::size_t kLanes = hn::MaxLanes(D32());
constexpr std::size_t kWords = 2 * kLanes;

// 16-bit integers, multiplied in pairs.
struct Words {
    using Element = std::int16_t;
    using V = V16;
    static HWY_INLINE V load(const Element* from) { return hn::LoadU(D16(), from); }
    static HWY_INLINE V32 add(V src, V weights, V32 sum) {
        V32 unused = hn::Zero(D32());
        return hn::ReorderWidenMulAccumulate(D32(), src, weights, sum, unused);
    }
};

// The sums of kLanes pixels, of four parts each.
HWY_INLINE V32 add_four(const std::int32_t* sums) {
    V32 a, b, c, d;
    hn::LoadInterleaved4(D32(), sums, a, b, c, d);
    return hn::Add(hn::Add(a, b), hn::Add(c, d));
}

// The sums of kLanes pixels.
HWY_INLINE V32 add_parts(const std::int32_t* sums, std::size_t partials) {
    const D32 d;
    if (partials == 1) {
        return hn::LoadU(d, sums);
    }
    if (partials == 2) {
        V32 a, b;
        hn::LoadInterleaved2(d, sums, a, b);
        return hn::Add(a, b);
    }
    if (partials == 4) {
        return add_four(sums);
    }
    const V32 low = add_four(sums);
    const V32 high = add_four(sums + 4 * kLanes);
    return hn::Add(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low));
}

void add(const std::int32_t* sums,
         std::size_t partials,
         std::size_t pixels,
         std::int32_t init,
         std::int32_t* to) {
    const D32 d;
    for (std::size_t i = 0; i < pixels; i += kLanes) {
        const V32 sum = add_parts(sums + i * partials, partials);
        hn::StoreU(hn::Add(sum, hn::Set(d, init)), d, to + i);
    }
}

HWY_INLINE hn::Vec<DF> values_at(const PairValues& p, std::size_t i) {
    const DF d;
    const V32 sum = add_parts(p.sums + i * p.partials, p.partials);
    auto x = hn::ConvertTo(d, hn::Add(sum, hn::Set(D32(), p.init)));
    if (p.ones != nullptr) {
        const auto ones = hn::ConvertTo(d, hn::LoadU(D32(), p.ones + i));
        x = fuseq::kernels::HWY_NAMESPACE::fused_mul_add(d, ones, hn::Set(d, p.of_sum), x);
    }
    return fuseq::kernels::HWY_NAMESPACE::fused_mul_add(d, x, hn::Set(d, p.scale),
                                                        hn::Set(d, p.bias));
}

void values(const PairValues& p, std::size_t pixels, float* to) {
    const DF d;
    std::size_t i = 0;
    for (; i + kLanes <= pixels; i += kLanes) {
        hn::StoreU(values_at(p, i), d, to + i);
    }
    if (i != pixels) {
        float last[kLanes];
        hn::StoreU(values_at(p, i), d, last);
        std::memcpy(to + i, last, (pixels - i) * sizeof(float));
    }
}

// Count bytes less a zero point.
template <std::size_t Count, class T>
HWY_INLINE void widen(const T* from, std::int32_t zero_point, std::int16_t* to) {
    const hn::FixedTag<std::int16_t, Count> d;
    const hn::Rebind<T, decltype(d)> bytes;
    const auto minus = hn::Set(d, static_cast<std::int16_t>(zero_point));
    hn::StoreU(hn::Sub(hn::PromoteTo(d, hn::LoadU(bytes, from)), minus), d, to);
}

template <class T>
HWY_INLINE void widen_some(const T* from,
                           std::size_t count,
                           std::int32_t zero_point,
                           std::int16_t* to) {
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = static_cast<std::int16_t>(from[i] - zero_point);
    }
}

// All bytes of the pixels, one after the other.
template <class T>
void fill_dense(const PairFill& p, const T* from) {
    constexpr std::size_t kBytes = kWords;
    const std::size_t count = (p.end - p.begin) * p.channels;
    std::int16_t* const to = static_cast<std::int16_t*>(p.to) + p.first * p.elements;
    from += p.begin * p.channels;
    std::size_t i = 0;
    for (; i + kBytes <= count; i += kBytes) {
        widen<kBytes>(from + i, p.zero_point, to + i);
    }
    widen_some(from + i, count - i, p.zero_point, to + i);
}

// A pixel; `whole`: as many bytes as it has words in the ring may be read.
template <class T>
HWY_INLINE void fill_pixel(const PairFill& p, const T* from, bool whole, std::int16_t* to) {
    constexpr std::size_t kEight = 8;
    if (whole && p.elements == 4) {
        widen<4>(from, p.zero_point, to);
    } else if (whole && p.elements % kEight == 0) {
        for (std::size_t i = 0; i < p.elements; i += kEight) {
            widen<kEight>(from + i, p.zero_point, to + i);
        }
    } else {
        widen_some(from, p.channels, p.zero_point, to);
    }
}

template <class T>
HWY_INLINE void fill_four(const T* from,
                          std::int32_t zero_point,
                          std::int16_t* low,
                          std::int16_t* high,
                          hn::Vec<hn::FixedTag<std::uint8_t, 16>> order) {
    const hn::FixedTag<std::uint8_t, 16> bytes;
    const hn::FixedTag<std::int16_t, 8> words;
    const hn::FixedTag<T, 16> elements;
    const auto ordered = hn::BitCast(
        elements, hn::TableLookupBytesOr0(
                      hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from)), order));
    const auto minus = hn::Set(words, static_cast<std::int16_t>(zero_point));
    hn::StoreU(hn::Sub(hn::PromoteTo(words, hn::LowerHalf(ordered)), minus), words, low);
    hn::StoreU(hn::Sub(hn::PromoteTo(words, hn::UpperHalf(hn::Half<decltype(elements)>(), ordered)),
                       minus),
               words, high);
}

template <class T>
std::size_t fill_fours(const PairFill& p, const T* from) {
    alignas(16) std::uint8_t bytes[16];
    order_fours(p, bytes);
    const auto order = hn::Load(hn::FixedTag<std::uint8_t, 16>(), bytes);
    auto* const to = static_cast<std::int16_t*>(p.to);
    return for_fours(p, [&](std::size_t x, std::size_t low, std::size_t high) HWY_ATTR {
        fill_four(from + x * p.channels, p.zero_point, to + low, to + high, order);
    });
}

template <class T>
void fill_pixels(const PairFill& p, const T* from) {
    const std::size_t bytes = p.width * p.channels;
    const std::size_t begin = fills_fours(p) ? fill_fours(p, from) : p.begin;
    auto* const to = static_cast<std::int16_t*>(p.to);
    for_ring_pixels(p, begin, [&](std::size_t x, std::size_t at) {
        const std::size_t byte = x * p.channels;
        fill_pixel(p, from + byte, byte + p.elements <= bytes, to + at);
    });
}

template <class T>
void fill_as(const PairFill& p) {
    const auto* from = static_cast<const T*>(p.from);
    if (p.stride == 1 && p.elements == p.channels) {
        fill_dense(p, from);
    } else {
        fill_pixels(p, from);
    }
}

void fill(const PairFill& p) {
    if (p.is_signed) {
        fill_as<std::int8_t>(p);
    } else {
        fill_as<std::uint8_t>(p);
    }
}

PairFunctions functions() {
    return {kLanes,
            2,
            {sum_tile<Words, 1>, sum_tile<Words, 2>, sum_tile<Words, 3>, sum_tile<Words, 4>},
            add,
            values,
            fill};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels::small_conv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels::small_conv {

HWY_EXPORT(functions);

PairFunctions pair_functions() {
    return HWY_DYNAMIC_DISPATCH(functions)();
}

}  // namespace fuseq::kernels::small_conv
#endif
