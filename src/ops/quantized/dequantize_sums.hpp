// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fuseq/attributes.hpp"

namespace fuseq {

// The end of a product of integers whose source has a zero point or a scale found at run time:
//
//   DequantizeSums(sums f32 [..., C], zero point, scale f32, more sums, ...) -> f32 [..., C]
//   dst[p, c] = f32(sums[p, c] - zero point * weight_sums[class(p), c]) * scale[c]
//
// Sums without the zero point are integers that f32 holds exactly; a product of many terms has them
// in parts, which are added as integers. The zero point is one integer of
// u8, i8 or i32; scale has one value or one a channel. Windows at the edges of an image see fewer
// weights: weight_sums has a row for each class of windows. p is pixel (y, x) of an image, and
// class(p) = row_classes[y] + column_classes[x]; both are empty where there is one class.
//
// With weight_shifts, sums has one more column, the sum of the source itself, and dst is
// f32(sums[p, c] + weight_shifts[c] * sums[p, C] - ...): for weights that are i8 only less
// another number than their zero point.
inline constexpr std::size_t kMaxSumParts = 6;

struct DequantizeSumsAttrs final : AttributesOf<DequantizeSumsAttrs> {
    std::vector<std::int64_t> weight_sums;
    std::vector<std::int64_t> row_classes;
    std::vector<std::int64_t> column_classes;
    std::vector<std::int64_t> weight_shifts;
    void visit(AttributeVisitor& v) override {
        v.required("weight_sums", weight_sums);
        v.optional("row_classes", row_classes);
        v.optional("column_classes", column_classes);
        v.optional("weight_shifts", weight_shifts);
    }
};

}  // namespace fuseq
