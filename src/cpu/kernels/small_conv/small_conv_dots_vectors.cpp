// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of small_conv_pairs.hpp for bytes: dot products of 256 bits.
#include <algorithm>
#include <cstring>

#include "cpu/kernels/small_conv/small_conv_pairs.hpp"
#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/instructions.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/small_conv/small_conv_dots_vectors.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/vnni256-inl.h"
#include "cpu/kernels/small_conv/small_conv_pairs_fill-inl.h"
#include "cpu/kernels/small_conv/small_conv_pairs_sums-inl.h"

#if HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels::small_conv {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using DBytes = hn::FixedTag<std::uint8_t, 32>;
using DHalf = hn::FixedTag<std::uint8_t, 16>;
constexpr std::size_t kPixelBytes = 4;  // of up to four channels

template <class Product>
struct Bytes {
    using Element = std::uint8_t;
    using V = V32;
    static HWY_INLINE V load(const Element* from) {
        return hn::BitCast(D32(), hn::LoadU(DBytes(), from));
    }
    static HWY_INLINE V32 add(V src, V weights, V32 sum) { return Product::add(sum, src, weights); }
};

// What makes bytes unsigned.
std::uint8_t flip_of(const PairFill& p) {
    return p.is_signed ? 0x80 : 0;
}

template <std::size_t Count>
HWY_INLINE void copy(const std::uint8_t* from, std::uint8_t flip, std::uint8_t* to) {
    const hn::FixedTag<std::uint8_t, Count> d;
    hn::StoreU(hn::Xor(hn::LoadU(d, from), hn::Set(d, flip)), d, to);
}

HWY_INLINE void copy_some(const std::uint8_t* from,
                          std::size_t count,
                          std::uint8_t flip,
                          std::uint8_t* to) {
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = from[i] ^ flip;
    }
}

// All bytes of the pixels, one after the other.
void fill_dense(const PairFill& p, const std::uint8_t* from) {
    constexpr std::size_t kVector = 32;
    const std::size_t count = (p.end - p.begin) * p.channels;
    std::uint8_t* const to = static_cast<std::uint8_t*>(p.to) + p.first * p.elements;
    from += p.begin * p.channels;
    std::size_t i = 0;
    for (; i + kVector <= count; i += kVector) {
        copy<kVector>(from + i, flip_of(p), to + i);
    }
    copy_some(from + i, count - i, flip_of(p), to + i);
}

// A pixel; `whole`: as many bytes as it has elements in the ring may be read.
HWY_INLINE void fill_pixel(const PairFill& p,
                           const std::uint8_t* from,
                           bool whole,
                           std::uint8_t* to) {
    constexpr std::size_t kEight = 8;
    if (whole && p.elements == kPixelBytes) {
        copy<kPixelBytes>(from, flip_of(p), to);
    } else if (whole) {
        for (std::size_t i = 0; i < p.elements; i += kEight) {
            copy<kEight>(from + i, flip_of(p), to + i);
        }
    } else {
        copy_some(from, p.channels, flip_of(p), to);
    }
}

std::size_t fill_fours(const PairFill& p, const std::uint8_t* from) {
    const hn::Half<DHalf> half;
    alignas(16) std::uint8_t bytes[16];
    order_fours(p, bytes);
    const auto order = hn::Load(DHalf(), bytes);
    const auto flip = hn::Set(DHalf(), flip_of(p));
    auto* const to = static_cast<std::uint8_t*>(p.to);
    return for_fours(p, [&](std::size_t x, std::size_t low, std::size_t high) HWY_ATTR {
        const auto four = hn::Xor(hn::LoadU(DHalf(), from + x * p.channels), flip);
        const auto ordered = hn::TableLookupBytesOr0(four, order);
        hn::StoreU(hn::LowerHalf(half, ordered), half, to + low);
        hn::StoreU(hn::UpperHalf(half, ordered), half, to + high);
    });
}

void fill_pixels(const PairFill& p, const std::uint8_t* from) {
    const std::size_t bytes = p.width * p.channels;
    const std::size_t begin = fills_fours(p) ? fill_fours(p, from) : p.begin;
    auto* const to = static_cast<std::uint8_t*>(p.to);
    for_ring_pixels(p, begin, [&](std::size_t x, std::size_t at) {
        const std::size_t byte = x * p.channels;
        fill_pixel(p, from + byte, byte + p.elements <= bytes, to + at);
    });
}

void fill(const PairFill& p) {
    const auto* from = static_cast<const std::uint8_t*>(p.from);
    if (p.stride == 1 && p.elements == p.channels) {
        fill_dense(p, from);
    } else {
        fill_pixels(p, from);
    }
}

template <class Product>
PairFunctions functions_with(const PairFunctions& others) {
    using B = Bytes<Product>;
    PairFunctions functions = others;
    functions.per_lane = 4;
    functions.sums[0] = sum_tile<B, 1>;
    functions.sums[1] = sum_tile<B, 2>;
    functions.sums[2] = sum_tile<B, 3>;
    functions.sums[3] = sum_tile<B, 4>;
    functions.fill = fill;
    return functions;
}

}  // namespace

PairFunctions dots(const PairFunctions& others) {
    using fuseq::kernels::HWY_NAMESPACE::Evex;
    using fuseq::kernels::HWY_NAMESPACE::Vex;
    return has_avx_vnni() ? functions_with<Vex>(others) : functions_with<Evex>(others);
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels::small_conv
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace fuseq::kernels::small_conv {

bool has_byte_dots() {
    return has_avx_vnni() || has_avx_vnni_in_evex() || has_avx512_vnni();
}

PairFunctions dot_functions() {
#if (HWY_TARGETS & HWY_AVX2) != 0
    return N_AVX2::dots(pair_functions());
#else
    return pair_functions();
#endif
}

}  // namespace fuseq::kernels::small_conv
#endif
