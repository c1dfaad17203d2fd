// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of rows of bytes, each of which has its scale and offset after its codes, so that a row is
// one place in memory (Glow's UInt8FusedQTy, UInt8FusedFP16QTy and their forms of 4 bits):
//
//   [width codes of u8, or width / 2 rounded up bytes of two u4, the even column in the low bits]
//   [scale][offset], both f32 or both f16
//
//   dst[c] = sum over the rows of a bag of weight * (code[c] * scale + offset)
//
// Sums are in f32, in the order of the rows; every split of the work gives the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cpu/kernels/common/large_pages.hpp"
#include "cpu/kernels/common/range.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

class RowTable {
public:
    struct Source {
        const void* codes = nullptr;                // [rows][width], dense
        ElementType type = ElementType::undefined;  // u8, i8, u4 or i4
        std::span<const float> scales{};            // one a row
        std::span<const float> offsets{};
    };

    // To be packed before anything else is asked.
    RowTable(std::size_t rows, std::size_t width) : rows_(rows), width_(width) {}
    // Scale and offset are stored as f16 where that loses nothing of any of them.
    void pack(const Source& source);

    std::size_t rows() const { return rows_; }
    std::size_t width() const { return width_; }
    std::size_t row_bytes() const { return row_bytes_; }
    std::size_t code_bytes() const { return nibbles_ ? (width_ + 1) / 2 : width_; }
    bool nibbles() const { return nibbles_; }
    bool half() const { return half_; }
    std::span<const std::uint8_t> bytes() const { return bytes_; }
    const std::uint8_t* row(std::size_t i) const { return bytes_.data() + i * row_bytes_; }

private:
    std::size_t rows_;
    std::size_t width_;
    std::size_t row_bytes_ = 0;
    bool nibbles_ = false;
    bool half_ = false;
    LargePageVector<std::uint8_t> bytes_;
};

// Rows of each bag, as found beforehand.
struct RowBags {
    const std::uint8_t* const* rows = nullptr;  // of all bags; null: a row of zeros
    const float* weights = nullptr;             // one a row; null: 1
    const std::size_t* begins = nullptr;        // of each bag, and the end; null: one row a bag
    const std::uint8_t* fallback = nullptr;     // row of empty bags; null: zeros
    bool mean = false;                          // of the rows of a bag
};

// dst [bags][width]: the bags of `part`.
void sum_rows(const RowTable& table, const RowBags& bags, float* dst, Range part);

}  // namespace fuseq::kernels
