// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of bytes that are made of the bytes of a source row in another order, the same for every
// row: shuffled, split or repeated channels. 64 bytes of a row at a time, by byte permutations of a
// few windows of the source (AVX-512 VBMI).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cpu/kernels/common/range.hpp"

namespace fuseq::kernels {

class ByteShuffle {
public:
    // sources[i]: offset in the source row of byte i of a row. Nothing on machines without VBMI,
    // for rows of nothing, and where the bytes of 64 neighbours come from too many places for this
    // to be faster than copying them one by one.
    static std::optional<ByteShuffle> make(std::span<const std::int32_t> sources);

    // Rows r of `rows`: from src + src_rows[r] to dst + dst_rows[r]. Reads and writes no byte but
    // those of the rows. src and dst must not overlap. Allocates nothing; any number of threads.
    void run(const void* src,
             std::span<const std::ptrdiff_t> src_rows,
             void* dst,
             std::span<const std::ptrdiff_t> dst_rows,
             Range rows) const;

private:
    // What 64 bytes or fewer of a row take out of two windows of 64 bytes of the source.
    struct Part {
        std::int32_t first = 0, second = 0;             // where the windows begin
        std::uint64_t first_used = 0, second_used = 0;  // bytes of them that exist, a bit each
        std::uint64_t taken = 0;                        // bytes of dst that come from here
        std::uint8_t index[64] = {};                    // 0 to 63: of the first window; 64 to 127
    };
    struct Chunk {
        std::int32_t dst = 0;
        std::uint64_t stored = 0;        // bytes, a bit each
        std::size_t begin = 0, end = 0;  // parts
    };

    std::vector<Part> parts_;
    std::vector<Chunk> chunks_;
};

}  // namespace fuseq::kernels
