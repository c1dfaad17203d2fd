// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/detection/best_ranks.hpp"

#include <algorithm>
#include <limits>

#include "cpu/kernels/common/range.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/detection/best_ranks.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Calls function(place) for the places that `mask`, of vectors, and `one`, of single elements,
// mark, until it says no. Returns the place after the last one looked at. A branch for four
// vectors: most of them have no such place.
template <class D, class Mask, class Scalar, class Function>
HWY_INLINE std::size_t for_marked(
    D d, Range places, const Mask& mask, const Scalar& one, const Function& function) {
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t end = places.end;
    std::size_t begin = places.begin;
    for (; begin + 4 * lanes <= end; begin += 4 * lanes) {
        const auto m0 = mask(begin);
        const auto m1 = mask(begin + lanes);
        const auto m2 = mask(begin + 2 * lanes);
        const auto m3 = mask(begin + 3 * lanes);
        if (hn::AllFalse(d, hn::Or(hn::Or(m0, m1), hn::Or(m2, m3)))) {
            continue;
        }
        std::uint8_t bytes[8];
        const auto bits = [&](const auto& m) HWY_ATTR {
            std::uint64_t value = 0;
            const std::size_t size = hn::StoreMaskBits(d, m, bytes);
            for (std::size_t i = 0; i < size; ++i) {
                value |= std::uint64_t{bytes[i]} << 8 * i;
            }
            return value;
        };
        std::uint64_t marked =
            bits(m0) | bits(m1) << lanes | bits(m2) << 2 * lanes | bits(m3) << 3 * lanes;
        for (; marked != 0; marked &= marked - 1) {
            if (!function(begin + static_cast<std::size_t>(std::countr_zero(marked)))) {
                return begin + static_cast<std::size_t>(std::countr_zero(marked)) + 1;
            }
        }
    }
    for (; begin < end; ++begin) {
        if (one(begin) && !function(begin)) {
            return begin + 1;
        }
    }
    return end;
}

// Entries of the ranks of [begin, end) below the limit, after the `size` that are there, until
// there are `room`. Returns the place where it ended.
std::size_t add_below(const std::uint32_t* ranks,
                      Range places,
                      std::uint32_t limit,
                      std::uint64_t* entries,
                      std::size_t& size,
                      std::size_t room) {
    const hn::ScalableTag<std::uint32_t> d;
    const auto bound = hn::Set(d, limit);
    return for_marked(
        d, places, [&](std::size_t i) HWY_ATTR { return hn::Lt(hn::LoadU(d, ranks + i), bound); },
        [&](std::size_t i) { return ranks[i] < limit; },
        [&](std::size_t i) {
            entries[size++] = entry_of(ranks[i], i);
            return size != room;
        });
}

std::size_t places_above_impl(const float* values,
                              std::size_t count,
                              float threshold,
                              std::int32_t* places,
                              LeftOut left_out) {
    const hn::ScalableTag<float> d;
    const auto is_left_out = [&](std::size_t i) {
        return left_out.period != 0 && (i & (left_out.period - 1)) == left_out.first;
    };
    // The pattern repeats itself within any vector: it is part of the bounds.
    alignas(64) float bounds[hn::MaxLanes(d)];
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
        bounds[i] = is_left_out(i) ? std::numeric_limits<float>::infinity() : threshold;
    }
    const auto bound = hn::Load(d, bounds);
    std::size_t size = 0;
    for_marked(
        d, Range{0, count},
        [&](std::size_t i) HWY_ATTR { return hn::Gt(hn::LoadU(d, values + i), bound); },
        [&](std::size_t i) { return values[i] > threshold && !is_left_out(i); },
        [&](std::size_t i) {
            places[size++] = static_cast<std::int32_t>(i);
            return true;
        });
    return size;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {
namespace {

HWY_EXPORT(add_below);
HWY_EXPORT(places_above_impl);

constexpr std::size_t kDigits = 256;
constexpr std::size_t kPasses = sizeof(std::uint64_t);
// Fewer are sorted by comparing.
constexpr std::size_t kFewEntries = 128;
// Ranks of which a limit is guessed.
constexpr std::size_t kSample = 512;

std::size_t digit(std::uint64_t entry, std::size_t pass) {
    return entry >> 8 * pass & (kDigits - 1);
}

// Below it stand, by a sample, a few more than `wanted` of many ranks: one pass over all of them
// leaves little to sort. Whether there are enough is for the caller to see.
std::uint32_t likely_limit(const std::uint32_t* ranks, std::size_t count, std::size_t wanted) {
    std::uint32_t sample[kSample];
    for (std::size_t i = 0; i < kSample; ++i) {
        sample[i] = ranks[count * i / kSample];
    }
    const std::size_t share = kSample * wanted / count;
    const std::size_t place = std::min(share + share / 4 + 8, kSample - 1);
    std::nth_element(sample, sample + place, sample + kSample);
    return sample[place] + (sample[place] != ~std::uint32_t{0});
}

}  // namespace

std::size_t best_ranks(const std::uint32_t* ranks,
                       std::size_t count,
                       std::size_t wanted,
                       std::uint64_t* entries) {
    if (wanted == 0) {
        return 0;
    }
    const std::size_t room = std::min(count, best_ranks_room(count, wanted));
    std::size_t size = 0;
    std::size_t at = 0;
    if (count > room) {
        at = HWY_DYNAMIC_DISPATCH(add_below)(
            ranks, Range{0, count}, likely_limit(ranks, count, wanted), entries, size, room);
    }
    if (size < wanted) {
        for (size = 0; size < room; ++size) {
            entries[size] = entry_of(ranks[size], size);
        }
        at = room;
    }
    while (size > wanted) {
        std::nth_element(entries, entries + wanted - 1, entries + size);
        size = wanted;
        // A later entry of the same rank as the last one is worse than it.
        const auto limit = static_cast<std::uint32_t>(entries[wanted - 1] >> 32);
        if (at < count) {
            at = HWY_DYNAMIC_DISPATCH(add_below)(ranks, Range{at, count}, limit, entries, size,
                                                 room);
        }
    }
    return size;
}

// One byte at a time, the last one first; a byte that is the same in all entries costs nothing.
void sort_entries(std::uint64_t* entries, std::size_t count, std::uint64_t* work) {
    if (count < kFewEntries) {
        std::sort(entries, entries + count);
        return;
    }
    std::uint32_t counts[kPasses][kDigits] = {};
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t pass = 0; pass < kPasses; ++pass) {
            ++counts[pass][digit(entries[i], pass)];
        }
    }
    std::uint64_t* from = entries;
    std::uint64_t* to = work;
    for (std::size_t pass = 0; pass < kPasses; ++pass) {
        std::uint32_t* first = counts[pass];
        if (first[digit(from[0], pass)] == count) {
            continue;
        }
        std::uint32_t sum = 0;
        for (std::size_t d = 0; d < kDigits; ++d) {
            const std::uint32_t own = first[d];
            first[d] = sum;
            sum += own;
        }
        for (std::size_t i = 0; i < count; ++i) {
            to[first[digit(from[i], pass)]++] = from[i];
        }
        std::swap(from, to);
    }
    if (from != entries) {
        std::copy_n(from, count, entries);
    }
}

std::size_t places_above(const float* values,
                         std::size_t count,
                         float threshold,
                         std::int32_t* places,
                         LeftOut left_out) {
    return HWY_DYNAMIC_DISPATCH(places_above_impl)(values, count, threshold, places, left_out);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
