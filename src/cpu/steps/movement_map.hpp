// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Where each element of a moved tensor comes from, in compact form: for slices, splits, gathers,
// shuffles, pads, permutations in any memory order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fuseq::cpu {

// Block (q, t), of q < outer and t < inner, goes from src + src_outer[q] + src_inner[t] to
// dst + dst_outer[q] + dst_inner[t]. All offsets are bytes.
struct MovementMap {
    std::size_t block = 0;  // bytes that lie side by side in both tensors
    std::vector<std::ptrdiff_t> src_outer;
    std::vector<std::ptrdiff_t> dst_outer;
    std::vector<std::int32_t> src_inner;  // the first is 0
    std::vector<std::int32_t> dst_inner;
    std::size_t element = 0;    // bytes of an element
    std::size_t elements = 0;   // of dst
    bool has_constant = false;  // some elements of dst are no elements of src

    std::size_t blocks() const { return src_outer.size() * src_inner.size(); }
};

// Blocks that are equally far apart, first to last in both tensors: a slice of the channels of
// every pixel. Distances in bytes.
struct StridedRun {
    std::ptrdiff_t src = 0;  // of the first block
    std::ptrdiff_t dst = 0;
    std::size_t src_step = 0;
    std::size_t dst_step = 0;
};

// Nothing when a map is something else.
std::optional<StridedRun> strided_run(const MovementMap& map);

// An element of dst that gets a constant.
inline constexpr std::int32_t kFromConstant = 0;

// sources[i]: 1 + the position in memory of what element i of dst gets, or kFromConstant.
// `periods`: after how many elements of either tensor the pattern may repeat itself (products of
// trailing dimensions); they only make the map smaller. Positions times the size of an element
// must fit 31 bits.
MovementMap make_movement_map(std::span<const std::int32_t> sources,
                              std::size_t element_bytes,
                              const std::vector<std::size_t>& periods);

// Copies blocks [begin, end) of the map. No two blocks share memory of dst.
void copy_blocks(
    const MovementMap& map, const void* src, void* dst, std::size_t begin, std::size_t end);

}  // namespace fuseq::cpu
