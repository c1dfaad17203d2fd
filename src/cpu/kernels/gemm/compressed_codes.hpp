// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A packed CompressedMatrix as its kernels see it.
//
// A unit is a byte for each channel of a panel, one code, or 32 bits, eight 4-bit codes. Groups begin
// with a new unit; of the last one of a group whose length is no multiple of eight some nibbles are
// not used. Of eight codes the first four are the low nibbles of the four bytes and the others the
// high ones: masks then give bytes of consecutive codes.
//
// Codes are packed so that they widen without more than a shift or a mask: u8 as i8 (less 128), i4
// as u4 (plus 8). The zero points move along.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fuseq::kernels {

// Codes of 4 bits in a unit, and the nibble of one of them, from the lowest.
inline constexpr std::size_t kCodesInUnit = 8;
constexpr std::size_t nibble_of(std::size_t code) {
    return code < kCodesInUnit / 2 ? 2 * code : 2 * code - (kCodesInUnit - 1);
}

enum class CodeForm : std::uint8_t { kBytes, kNibbles, kTable };

struct PackedCodes {
    CodeForm form = CodeForm::kBytes;
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
    // Codes of a group, with those that are not used.
    std::size_t padded_depth() const {
        return (group_depth + kCodesInUnit - 1) / kCodesInUnit * kCodesInUnit;
    }
};

// What CompressedMatrix::prepare() makes of the source.
struct PreparedSource {
    float* sums;  // [row][group]
    // Of a single row that meets nibbles, as integers of 30 bits (compressed_integers-inl.h).
    float* usable;   // not 0: the following ones hold the row
    float* factors;  // of each group
    std::int32_t* pairs;

    PreparedSource(const PackedCodes& p, std::size_t rows, float* work)
        : sums(work),
          usable(work + rows * p.groups),
          factors(usable + 1),
          pairs(reinterpret_cast<std::int32_t*>(factors + p.groups)) {}
    static bool has_integers(const PackedCodes& p, std::size_t rows) {
        return rows == 1 && p.form == CodeForm::kNibbles;
    }
    static std::size_t size(const PackedCodes& p, std::size_t rows) {
        const std::size_t sums = rows * p.groups;
        return has_integers(p, rows) ? sums + 1 + p.groups * (1 + p.padded_depth()) : sums;
    }
};

}  // namespace fuseq::kernels
