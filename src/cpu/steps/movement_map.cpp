// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/movement_map.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace fuseq::cpu {
namespace {

// Elements that are copied, in the order of dst.
struct Pairs {
    std::vector<std::int32_t> src;
    std::vector<std::int32_t> dst;
};

Pairs copied_elements(std::span<const std::int32_t> sources) {
    Pairs pairs;
    pairs.src.reserve(sources.size());
    pairs.dst.reserve(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (sources[i] != kFromConstant) {
            pairs.src.push_back(sources[i] - 1);
            pairs.dst.push_back(static_cast<std::int32_t>(i));
        }
    }
    return pairs;
}

// The longest block of which all runs of neighbours are made.
std::size_t block_length(const Pairs& pairs) {
    std::size_t length = pairs.src.size();
    for (std::size_t i = 1; i < pairs.src.size() && length > 1; ++i) {
        if (pairs.src[i] != pairs.src[i - 1] + 1 || pairs.dst[i] != pairs.dst[i - 1] + 1) {
            length = std::gcd(length, i);
        }
    }
    return std::max<std::size_t>(1, length);
}

Pairs first_of_blocks(const Pairs& pairs, std::size_t length) {
    Pairs blocks;
    for (std::size_t i = 0; i < pairs.src.size(); i += length) {
        blocks.src.push_back(pairs.src[i]);
        blocks.dst.push_back(pairs.dst[i]);
    }
    return blocks;
}

// Each group of `inner` offsets is the first one moved.
bool repeats(const std::vector<std::int32_t>& offsets, std::size_t inner) {
    for (std::size_t q = inner; q < offsets.size(); q += inner) {
        const std::int32_t moved = offsets[q] - offsets[0];
        for (std::size_t t = 1; t < inner; ++t) {
            if (offsets[q + t] - offsets[t] != moved) {
                return false;
            }
        }
    }
    return true;
}

// The period that gives the smallest tables.
std::size_t best_inner(const Pairs& blocks,
                       std::size_t length,
                       const std::vector<std::size_t>& periods) {
    const std::size_t count = blocks.src.size();
    std::size_t best = count;
    for (const std::size_t period : periods) {
        const std::size_t inner = period / length;
        if (inner == 0 || period % length != 0 || count % inner != 0 ||
            inner + count / inner >= best + count / best) {
            continue;
        }
        if (repeats(blocks.src, inner) && repeats(blocks.dst, inner)) {
            best = inner;
        }
    }
    return best;
}

// The distance of neighbours, from group to group too, if it is one and not negative.
std::optional<std::size_t> only_step(const std::vector<std::ptrdiff_t>& outer,
                                     const std::vector<std::int32_t>& inner) {
    const std::ptrdiff_t step = inner.size() > 1 ? inner[1] - inner[0] : outer[1] - outer[0];
    const auto at = [&](std::size_t i) { return static_cast<std::ptrdiff_t>(i) * step; };
    for (std::size_t t = 0; t < inner.size(); ++t) {
        if (inner[t] != at(t)) {
            return std::nullopt;
        }
    }
    for (std::size_t q = 0; q < outer.size(); ++q) {
        if (outer[q] - outer[0] != at(q * inner.size())) {
            return std::nullopt;
        }
    }
    return step < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(step));
}

// kBytes: of a block; 0: map.block bytes.
template <std::size_t kBytes>
void copy_sized(
    const MovementMap& map, const char* src, char* dst, std::size_t begin, std::size_t end) {
    const std::size_t inner = map.src_inner.size();
    const std::int32_t* from = map.src_inner.data();
    const std::int32_t* to = map.dst_inner.data();
    std::size_t q = begin / inner;
    std::size_t t = begin % inner;
    for (std::size_t left = end - begin; left != 0; ++q, t = 0) {
        const std::size_t last = std::min(inner, t + left);
        left -= last - t;
        const char* src_group = src + map.src_outer[q];
        char* dst_group = dst + map.dst_outer[q];
        for (; t < last; ++t) {
            if constexpr (kBytes == 0) {
                std::memcpy(dst_group + to[t], src_group + from[t], map.block);
            } else {
                std::memcpy(dst_group + to[t], src_group + from[t], kBytes);
            }
        }
    }
}

}  // namespace

MovementMap make_movement_map(std::span<const std::int32_t> sources,
                              std::size_t element_bytes,
                              const std::vector<std::size_t>& periods) {
    MovementMap map;
    map.element = element_bytes;
    map.elements = sources.size();
    Pairs pairs = copied_elements(sources);
    map.has_constant = pairs.src.size() != sources.size();
    if (pairs.src.empty()) {
        return map;
    }
    const std::size_t length = block_length(pairs);
    const Pairs blocks = length == 1 ? std::move(pairs) : first_of_blocks(pairs, length);
    map.block = length * element_bytes;
    const std::size_t inner = best_inner(blocks, length, periods);
    const auto bytes = static_cast<std::int32_t>(element_bytes);
    for (std::size_t t = 0; t < inner; ++t) {
        map.src_inner.push_back((blocks.src[t] - blocks.src[0]) * bytes);
        map.dst_inner.push_back((blocks.dst[t] - blocks.dst[0]) * bytes);
    }
    for (std::size_t q = 0; q < blocks.src.size(); q += inner) {
        map.src_outer.push_back(std::ptrdiff_t{blocks.src[q]} * bytes);
        map.dst_outer.push_back(std::ptrdiff_t{blocks.dst[q]} * bytes);
    }
    return map;
}

std::optional<StridedRun> strided_run(const MovementMap& map) {
    if (map.blocks() < 2) {
        return std::nullopt;
    }
    const auto src_step = only_step(map.src_outer, map.src_inner);
    const auto dst_step = only_step(map.dst_outer, map.dst_inner);
    if (!src_step || !dst_step) {
        return std::nullopt;
    }
    return StridedRun{map.src_outer[0], map.dst_outer[0], *src_step, *dst_step};
}

void copy_blocks(
    const MovementMap& map, const void* src, void* dst, std::size_t begin, std::size_t end) {
    const auto* from = static_cast<const char*>(src);
    auto* to = static_cast<char*>(dst);
    if (begin == end) {
        return;  // of a map without blocks there is no inner size to divide by
    }
    switch (map.block) {
        case 1: return copy_sized<1>(map, from, to, begin, end);
        case 2: return copy_sized<2>(map, from, to, begin, end);
        case 4: return copy_sized<4>(map, from, to, begin, end);
        case 8: return copy_sized<8>(map, from, to, begin, end);
        case 12: return copy_sized<12>(map, from, to, begin, end);
        case 16: return copy_sized<16>(map, from, to, begin, end);
        default: return copy_sized<0>(map, from, to, begin, end);
    }
}

}  // namespace fuseq::cpu
