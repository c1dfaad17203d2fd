// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of a product of integers, f32 that hold them exactly (|sum| <= 2^24), to real values:
//
//   dst[r, c] = f32(sum of src[r, c] - zero_point * weight_sums[class(r), c] + shift[c] * src[r, C]) * scale[c]
//
// with class(y, x) = row_classes[y] + column_classes[x], in integers of 32 bits up to the conversion (ops/quantized/dequantize_sums.hpp). The same values
// on every instruction set and for every split of the work. No allocation.
#pragma once

#include <cstddef>
#include <cstdint>

#include <span>

#include "cpu/kernels/common/range.hpp"

namespace fuseq::kernels {

struct DequantizeSumsParams {
    std::size_t channels = 0;
    const std::int32_t* weight_sums = nullptr;  // [classes, channels]
    // Of the pixels of an image, which are the rows of the tensors; null: one class.
    const std::uint32_t* row_classes = nullptr;     // [height]
    const std::uint32_t* column_classes = nullptr;  // [width]
    std::size_t height = 1;
    std::size_t width = 1;
    const std::int32_t* weight_shifts = nullptr;  // null: src has `channels` columns, else one more
    bool scale_a_channel = false;
};

// Of one run: what is known then.
struct DequantizeSumsGrid {
    std::int32_t zero_point = 0;
    const float* scale = nullptr;  // one, or one a channel
};

// src: parts of the sums, which are added as integers. src and dst are of row 0.
void dequantize_sums(const DequantizeSumsParams& params,
                     const DequantizeSumsGrid& grid,
                     std::span<const float* const> src,
                     float* dst,
                     Range rows);

}  // namespace fuseq::kernels
