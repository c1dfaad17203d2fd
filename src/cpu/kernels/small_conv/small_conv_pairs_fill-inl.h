// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Where pixels go in the ring of small_conv_pairs.hpp. To be included after hwy/highway.h, once a target.
#if defined(FUSEQ_SMALL_CONV_PAIRS_FILL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_SMALL_CONV_PAIRS_FILL_INL_H_
#undef FUSEQ_SMALL_CONV_PAIRS_FILL_INL_H_
#else
#define FUSEQ_SMALL_CONV_PAIRS_FILL_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "cpu/kernels/small_conv/small_conv_pairs.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels::small_conv {
namespace HWY_NAMESPACE {

// Pixels of up to four channels, as many elements a pixel in the ring, are filled four at a time, from
// 16 bytes of the source. With a stride of 2 the even ones lie apart from the odd ones.
constexpr std::size_t kFourPixels = 4;
HWY_INLINE bool fills_fours(const PairFill& p) {
    return p.channels <= p.elements && p.elements == 4 && p.stride <= 2;
}

// Which of the 16 bytes is where: those of the first two pixels that lie together, then those of the
// other two. 0x80: none.
HWY_INLINE void order_fours(const PairFill& p, std::uint8_t (&order)[16]) {
    for (std::size_t i = 0; i < 16; ++i) {
        const std::size_t place = i / 4;
        const std::size_t pixel = p.stride == 1 ? place : place % 2 * 2 + place / 2;
        const std::size_t byte = pixel * p.channels + i % 4;
        order[i] = i % 4 < p.channels ? static_cast<std::uint8_t>(byte) : std::uint8_t{0x80};
    }
}

// f(pixel of the source, where it and its neighbour go, where the other two go) for as many fours as
// there are whose 16 bytes may be read. The pixel after them.
template <class F>
HWY_INLINE std::size_t for_fours(const PairFill& p, const F& f) {
    const auto place = [&](std::size_t number) {
        return number % p.stride * p.part_size + number / p.stride * p.elements;
    };
    std::size_t low = place(p.first);
    std::size_t high = place(p.first + (p.stride == 1 ? 2 : 1));
    const std::size_t step = kFourPixels / p.stride * p.elements;
    std::size_t x = p.begin;
    for (; x + kFourPixels <= p.end && x * p.channels + 16 <= p.width * p.channels;
         x += kFourPixels) {
        f(x, low, high);
        low += step;
        high += step;
    }
    return x;
}

// f(pixel of the source, where it goes in the ring, in elements) for pixels from `begin` on.
template <class F>
HWY_INLINE void for_ring_pixels(const PairFill& p, std::size_t begin, const F& f) {
    const std::size_t number = p.first + begin - p.begin;
    std::size_t part = number % p.stride;
    std::size_t at = number / p.stride;
    for (std::size_t x = begin; x < p.end; ++x) {
        f(x, part * p.part_size + at * p.elements);
        ++part;
        at += part == p.stride ? 1 : 0;
        part = part == p.stride ? 0 : part;
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels::small_conv
HWY_AFTER_NAMESPACE();

#endif
