// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A tile of pixels has its sums in registers. With vectors of 512 bits it has all output channels,
// otherwise 16 of them at a time: there are half as many registers of half the size.
#include "cpu/kernels/float_conv/float_conv_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/float_conv/float_conv_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/common/hwy_unrolled-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using float_conv::Constants;
using float_conv::kLanes;
using float_conv::kMaxVectors;
using float_conv::RowFunction;
using float_conv::Taps;

using DF = hn::CappedTag<float, kLanes>;
using VF = hn::Vec<DF>;

constexpr std::size_t kVector = hn::MaxLanes(DF());
constexpr bool kWide = kVector == kLanes;

// Vectors and pixels of a tile, of so many times 16 channels.
constexpr std::size_t tile_vectors(std::size_t vectors) {
    return kWide ? vectors : kLanes / kVector;
}
// With the weights of all vectors and a number of the source in registers.
constexpr std::size_t tile_pixels(std::size_t vectors) {
    return kWide ? 24 / vectors : kVector == 8 ? 6 : 2;
}
// Of the last one, where that suffices.
constexpr std::size_t last_pixels(std::size_t vectors) {
    return kWide ? 12 / vectors : kVector == 8 ? 2 : 1;
}

// Vector i has channels kVector * (i % kVectors) of pixel i / kVectors.
template <std::size_t kPixels, std::size_t kVectors>
struct Sums {
    VF v[kPixels * kVectors];

    // Vector number n of each pixel.
    template <class F>
    HWY_INLINE void each(std::size_t n, F&& f) {
        unrolled<kPixels>([&](auto p)
                              FUSEQ_HWY_LAMBDA { v[p * kVectors + n] = f(v[p * kVectors + n]); });
    }
};

// Where a tile is: its first pixel, its first channel, and all channels.
struct Place {
    std::size_t x;
    std::size_t channel;
    std::size_t channels;
};

// kStep: floats from a window to the next.
template <std::size_t kStep, std::size_t kPixels, std::size_t kVectors>
HWY_INLINE void accumulate(const Taps& taps,
                           const Constants& constants,
                           const Place& place,
                           Sums<kPixels, kVectors>& acc) {
    const DF d;
    unrolled<kPixels * kVectors>([&](auto i) FUSEQ_HWY_LAMBDA { acc.v[i] = hn::Zero(d); });
    const float* weights = constants.weights + place.channel;
    for (std::size_t t = 0; t < taps.count; ++t, weights += place.channels) {
        const float* const at = taps.at[t] + place.x * kStep;
        VF w[kVectors];
        unrolled<kVectors>([&](auto n)
                               FUSEQ_HWY_LAMBDA { w[n] = hn::Load(d, weights + n * kVector); });
        unrolled<kPixels>([&](auto p) FUSEQ_HWY_LAMBDA {
            const VF number = hn::Set(d, at[p * kStep]);
            unrolled<kVectors>([&](auto n) FUSEQ_HWY_LAMBDA {
                constexpr std::size_t kPlace = decltype(p)::value * kVectors + decltype(n)::value;
                acc.v[kPlace] = hn::MulAdd(number, w[n], acc.v[kPlace]);
            });
        });
    }
}

template <std::size_t kPixels, std::size_t kVectors>
HWY_INLINE void finish(const Constants& constants,
                       std::size_t channel,
                       Sums<kPixels, kVectors>& acc) {
    const DF d;
    const VF zero = hn::Zero(d);
    unrolled<kVectors>([&](auto n) FUSEQ_HWY_LAMBDA {
        const std::size_t at = channel + n * kVector;
        const VF bias = hn::Load(d, constants.bias + at);
        acc.each(n, [&](VF v) FUSEQ_HWY_LAMBDA { return hn::Add(v, bias); });
        if (constants.relu && constants.slope == 0.0f) {
            acc.each(n, [&](VF v) FUSEQ_HWY_LAMBDA { return hn::Max(v, zero); });
        } else if (constants.relu) {
            const VF slope = hn::Set(d, constants.slope);
            acc.each(n, [&](VF v) FUSEQ_HWY_LAMBDA {
                return hn::IfThenElse(hn::Gt(v, zero), v, hn::Mul(v, slope));
            });
        }
        if (constants.shift != nullptr) {
            const VF shift = hn::Load(d, constants.shift + at);
            acc.each(n, [&](VF v) FUSEQ_HWY_LAMBDA { return hn::Add(v, shift); });
        }
    });
}

// Four vectors become one of bytes: of a part of a pixel, of one pixel, or of two.
template <class T, std::size_t kPixels, std::size_t kVectors>
HWY_INLINE void store_bytes(const Sums<kPixels, kVectors>& acc, const Place& place, T* dst) {
    const DF d;
    T* const to = dst + place.x * place.channels + place.channel;
    unrolled<kPixels * kVectors / 4>([&](auto g) FUSEQ_HWY_LAMBDA {
        constexpr std::size_t kFirst = decltype(g)::value * 4;
        const auto store = [&](T* at) FUSEQ_HWY_LAMBDA {
            store_four(d, acc.v[kFirst], acc.v[kFirst + 1], acc.v[kFirst + 2], acc.v[kFirst + 3],
                       at);
        };
        T* const first = to + kFirst / kVectors * place.channels;
        if constexpr (kWide) {  // all channels
            store(to + kFirst * kVector);
        } else if constexpr (kVectors == 4) {
            store(first);
        } else {
            alignas(32) T both[2 * kLanes];
            store(both);
            std::memcpy(first, both, kLanes);
            std::memcpy(first + place.channels, both + kLanes, kLanes);
        }
    });
}

template <std::size_t kPixels, std::size_t kVectors>
HWY_INLINE void store_floats(const Sums<kPixels, kVectors>& acc, const Place& place, float* dst) {
    const DF d;
    float* const to = dst + place.x * place.channels + place.channel;
    unrolled<kPixels * kVectors>([&](auto i) FUSEQ_HWY_LAMBDA {
        hn::StoreU(acc.v[i], d, to + i / kVectors * place.channels + i % kVectors * kVector);
    });
}

template <std::size_t kPixels, std::size_t kVectors, std::size_t kStep>
HWY_INLINE void tile(const Taps& taps,
                     const Constants& constants,
                     const Place& place,
                     std::byte* dst) {
    Sums<kPixels, kVectors> acc;
    accumulate<kStep>(taps, constants, place, acc);
    finish(constants, place.channel, acc);
    switch (constants.dst_type) {
        case ElementType::f32: return store_floats(acc, place, reinterpret_cast<float*>(dst));
        case ElementType::i8: return store_bytes(acc, place, reinterpret_cast<std::int8_t*>(dst));
        default: return store_bytes(acc, place, reinterpret_cast<std::uint8_t*>(dst));
    }
}

// The last tile ends at the end of the row: it may compute pixels again.
template <std::size_t kVectors, std::size_t kStep>
void row_of(const Taps& taps, const Constants& constants, std::size_t width, std::byte* dst) {
    constexpr std::size_t kPixels = tile_pixels(kVectors);
    constexpr std::size_t kLast = last_pixels(kVectors);
    constexpr std::size_t kChannels = kVectors * kLanes;
    constexpr std::size_t kTile = tile_vectors(kVectors);
    std::size_t x = 0;
    for (; x + kLast < width; x += kPixels) {
        for (std::size_t c = 0; c < kChannels; c += kTile * kVector) {
            tile<kPixels, kTile, kStep>(taps, constants,
                                        {std::min(x, width - kPixels), c, kChannels}, dst);
        }
    }
    if (x < width) {
        for (std::size_t c = 0; c < kChannels; c += kTile * kVector) {
            tile<kLast, kTile, kStep>(taps, constants, {width - kLast, c, kChannels}, dst);
        }
    }
}

template <std::size_t kStep>
RowFunction of_vectors(std::size_t vectors) {
    constexpr RowFunction kAll[kMaxVectors] = {row_of<1, kStep>, row_of<2, kStep>, row_of<3, kStep>,
                                               row_of<4, kStep>};
    return kAll[vectors - 1];
}

RowFunction row_function(std::size_t vectors, std::size_t step) {
    switch (step) {
        case 1: return of_vectors<1>(vectors);
        case 2: return of_vectors<2>(vectors);
        case 3: return of_vectors<3>(vectors);
        case 4: return of_vectors<4>(vectors);
        case 6: return of_vectors<6>(vectors);
        case 8: return of_vectors<8>(vectors);
        default: return nullptr;
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(row_function);

namespace float_conv {

RowFunction row_function(std::size_t vectors, std::size_t step) {
    return HWY_DYNAMIC_DISPATCH(row_function)(vectors, step);
}

}  // namespace float_conv
}  // namespace fuseq::kernels
#endif
