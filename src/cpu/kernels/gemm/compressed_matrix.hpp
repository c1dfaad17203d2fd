// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The product of rows of floats and a matrix of 8-bit or 4-bit codes:
//
//   dst[m][n] = sum over k of src[m][k] * (value(code[k][n]) - zero_point[g][n]) * scale[g][n]
//
// where g = k / (depth / groups), and value() is the integer itself or, of nf4, one of 16 floats.
// The codes are read as they are stored, and turned to floats in registers (few rows) or in the
// first cache (more rows). Sums are in f32; with AVX2 a single row meets i4 and u4 as integers of 30
// bits, whose sums are exact. Every split of the work gives the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cpu/kernels/common/large_pages.hpp"
#include "cpu/kernels/common/range.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

struct CompressedMatrixParams {
    ElementType type = ElementType::undefined;  // i8, u8, i4, u4 or nf4
    std::size_t channels = 0;
    std::size_t depth = 0;
    std::size_t groups = 1;  // of the depth; a divisor of it
};

class CompressedMatrix {
public:
    // Channels that are worked on together.
    static constexpr std::size_t kPanel = 16;
    // Up to so many rows the codes are turned to floats in registers.
    static constexpr std::size_t kMaxStreamedRows = 8;

    // To be packed before anything else is asked.
    explicit CompressedMatrix(const CompressedMatrixParams& params);

    struct Source {
        const void* codes = nullptr;
        bool channels_first = false;           // [channels][depth], or [depth][channels]
        std::span<const float> scales{};       // [channels][groups]
        std::span<const float> zero_points{};  // the same; empty: all 0
    };
    void pack(const Source& source);

    const CompressedMatrixParams& params() const { return p_; }
    std::size_t panels() const { return (p_.channels + kPanel - 1) / kPanel; }
    std::size_t bytes() const {
        return codes_.size() + (scales_.size() + zero_points_.size()) * sizeof(float);
    }
    std::span<const std::int8_t> codes() const {
        return {reinterpret_cast<const std::int8_t*>(codes_.data()), codes_.size()};
    }

    // At most kMaxStreamedRows rows. work: work_size() floats that prepare() has filled; no call
    // changes them.
    void stream(const float* src, std::size_t rows, float* work, float* dst, Range panels) const;
    std::size_t work_size(std::size_t rows) const;
    // Sums of the values of each group, which zero points multiply, and the form in which codes meet
    // a single row.
    void prepare(const float* src, std::size_t rows, float* work) const;

    // Any number of rows.
    void multiply(const float* src, std::size_t rows, float* dst, Range panels) const;

private:
    void pack_codes(const Source& source);
    void pack_bytes(const Source& source, std::size_t panel);
    void pack_nibbles(const Source& source, std::size_t panel);
    void pack_scales(const Source& source);

    CompressedMatrixParams p_;
    LargePageVector<std::uint8_t> codes_;  // [panel][group][unit], see compressed_codes.hpp
    std::vector<float> scales_;            // [panel][group][kPanel]
    std::vector<float> zero_points_;       // the same; one for all; or none, for 0
};

}  // namespace fuseq::kernels
