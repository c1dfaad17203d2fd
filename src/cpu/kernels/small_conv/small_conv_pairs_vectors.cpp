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
constexpr std::size_t kPitch = kMaxPairSums + kPairSumsSlack;

// Source vectors at once for a group of so many channels: sums, the source and a product stay in 16
// registers.
constexpr std::size_t source_vectors(std::size_t group) {
    return group == 1 ? 8 : group == 2 ? 4 : group == 3 ? 3 : 2;
}

template <std::size_t Count, class V>
struct Vectors {
    V v[Count];
};

template <std::size_t... I>
HWY_INLINE void clear(Vectors<sizeof...(I), V32>& sums, std::index_sequence<I...>) {
    ((sums.v[I] = hn::Zero(D32())), ...);
}

HWY_INLINE V32 add_products(V16 a, V16 b, V32 sum) {
    V32 unused = hn::Zero(D32());
    return hn::ReorderWidenMulAccumulate(D32(), a, b, sum, unused);
}

template <std::size_t... U>
HWY_INLINE void load(Vectors<sizeof...(U), V16>& to,
                     const std::int16_t* from,
                     std::size_t step,
                     std::index_sequence<U...>) {
    ((to.v[U] = hn::LoadU(D16(), from + U * step)), ...);
}

template <std::size_t First, std::size_t Count, std::size_t... U>
HWY_INLINE void add_channel(Vectors<Count, V32>& sums,
                            const Vectors<sizeof...(U), V16>& src,
                            V16 weights,
                            std::index_sequence<U...>) {
    ((sums.v[First + U] = add_products(src.v[U], weights, sums.v[First + U])), ...);
}

template <std::size_t Count, std::size_t Sources, std::size_t... C>
HWY_INLINE void add_tap(Vectors<Count, V32>& sums,
                        const Vectors<Sources, V16>& src,
                        const std::int16_t* weights,
                        std::index_sequence<C...>) {
    (add_channel<C * Sources>(sums, src, hn::Load(D16(), weights + C * kWords),
                              std::make_index_sequence<Sources>{}),
     ...);
}

template <std::size_t Sources, std::size_t... I>
HWY_INLINE void store(const Vectors<sizeof...(I), V32>& sums,
                      std::int32_t* to,
                      std::index_sequence<I...>) {
    (hn::StoreU(sums.v[I], D32(), to + I / Sources * kPitch + I % Sources * kLanes), ...);
}

template <std::size_t Group>
void sum_tile(const PairCall& call) {
    constexpr std::size_t kSources = source_vectors(Group);
    constexpr auto kAll = std::make_index_sequence<Group * kSources>{};
    for (std::size_t v = 0; v < call.vectors; v += kSources) {
        Vectors<Group * kSources, V32> sums;
        clear(sums, kAll);
        const std::int16_t* weights = call.weights;
        for (std::size_t y = 0; y < call.kernel_rows; ++y) {
            const std::int16_t* row = call.rows[y] + v * call.step;
            for (std::size_t t = 0; t < call.tap_count; ++t, weights += Group * kWords) {
                Vectors<kSources, V16> src;
                load(src, row + call.taps[t], call.step, std::make_index_sequence<kSources>{});
                add_tap(sums, src, weights, std::make_index_sequence<Group>{});
            }
        }
        store<kSources>(sums, call.sums + v * kLanes, kAll);
    }
}

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

void add(const std::int32_t* sums, std::size_t partials, std::size_t pixels, std::int32_t* to) {
    for (std::size_t i = 0; i < pixels; i += kLanes) {
        hn::StoreU(add_parts(sums + i * partials, partials), D32(), to + i);
    }
}

HWY_INLINE hn::Vec<DF> values_at(const PairValues& p, std::size_t i) {
    const DF d;
    auto x = hn::ConvertTo(d, add_parts(p.sums + i * p.partials, p.partials));
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
    std::int16_t* const to = p.to + p.first * p.words;
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
    if (whole && p.words == 4) {
        widen<4>(from, p.zero_point, to);
    } else if (whole && p.words % kEight == 0) {
        for (std::size_t i = 0; i < p.words; i += kEight) {
            widen<kEight>(from + i, p.zero_point, to + i);
        }
    } else {
        widen_some(from, p.channels, p.zero_point, to);
    }
}

template <class T>
void fill_pixels(const PairFill& p, const T* from) {
    const std::size_t bytes = p.width * p.channels;
    std::size_t part = p.first % p.stride;
    std::size_t at = p.first / p.stride;
    for (std::size_t x = p.begin; x < p.end; ++x) {
        const std::size_t byte = x * p.channels;
        fill_pixel(p, from + byte, byte + p.words <= bytes,
                   p.to + part * p.part_size + at * p.words);
        ++part;
        at += part == p.stride ? 1 : 0;
        part = part == p.stride ? 0 : part;
    }
}

template <class T>
void fill_as(const PairFill& p) {
    const auto* from = static_cast<const T*>(p.from);
    if (p.stride == 1 && p.words == p.channels) {
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
    return {kLanes, {sum_tile<1>, sum_tile<2>, sum_tile<3>, sum_tile<4>}, add, values, fill};
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
