// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A packed CompressedMatrix as its kernels see it.
//
// A unit is what kPanel bytes hold: one code of each channel of a panel, or two 4-bit codes, the
// first one in the low nibble. Groups begin with a new unit; the last nibble of a group of odd
// length is not used.
//
// Codes are packed so that they widen without more than a shift or a mask: u8 as i8 (less 128), i4
// as u4 (plus 8). The zero points move along.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fuseq::kernels {

struct PackedCodes {
    const std::uint8_t* codes = nullptr;
    const float* scales = nullptr;
    const float* zero_points = nullptr;  // null: 0
    std::size_t zero_point_step = 0;     // from one group to the next: kPanel, or 0 of one for all
    std::size_t channels = 0;
    std::size_t depth = 0;
    std::size_t groups = 0;
    std::size_t group_depth = 0;
    std::size_t group_bytes = 0;
    const float* table = nullptr;  // of nf4: 16 values

    std::size_t panel_bytes() const { return groups * group_bytes; }
};

enum class CodeForm { kBytes, kNibbles, kTable };

}  // namespace fuseq::kernels
