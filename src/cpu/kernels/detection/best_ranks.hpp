// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The best of many scores: TopK, the candidates of detections. A score becomes an unsigned rank,
// the better the less; an entry is its rank and after that its place, so that entries compare as
// integers and of equal scores the first one is the best.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace fuseq::kernels {

// Zeros of either sign are equal; NaN comes after all numbers.
template <class T>
std::uint32_t rank_of(T value, bool largest) {
    constexpr std::uint32_t kSign = 0x80000000U;
    if constexpr (std::is_floating_point_v<T>) {
        static_assert(sizeof(T) == sizeof(std::uint32_t));
        const auto bits = std::bit_cast<std::uint32_t>(value + T{0});
        const std::uint32_t rising = (bits & kSign) != 0 ? ~bits : bits | kSign;
        return std::isnan(value) ? ~std::uint32_t{0} : largest ? ~rising : rising;
    } else {
        const std::uint32_t rising = static_cast<std::uint32_t>(value) ^ kSign;
        return largest ? ~rising : rising;
    }
}

inline std::uint64_t entry_of(std::uint32_t rank, std::size_t place) {
    return std::uint64_t{rank} << 32 | place;
}
inline std::size_t place_of(std::uint64_t entry) {
    return entry & 0xffffffffU;
}

// Entries that best_ranks() may write; more than it returns.
inline std::size_t best_ranks_room(std::size_t count, std::size_t wanted) {
    const std::size_t room = 2 * wanted + 1024;
    return (count < room ? count : room) + 16;
}

// The smallest `wanted` of the ranks, in any order, to `entries`. Returns how many there are.
std::size_t best_ranks(const std::uint32_t* ranks,
                       std::size_t count,
                       std::size_t wanted,
                       std::uint64_t* entries);

// Rising. `work`: room for as many.
void sort_entries(std::uint64_t* entries, std::size_t count, std::uint64_t* work);

// Every `period`th value, beginning with number `first`, is left out: a class of which scores are
// not wanted. 0: none is; else 2 or 4.
struct LeftOut {
    std::size_t period = 0;
    std::size_t first = 0;
};

// Places of the values above a threshold, rising. Room at `places`: count.
std::size_t places_above(const float* values,
                         std::size_t count,
                         float threshold,
                         std::int32_t* places,
                         LeftOut left_out = {});

}  // namespace fuseq::kernels
