// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Normalisation of columns of u8 or i8, [length, inner]: sums and sums of squares are exact
// integers, so that one pass gives both and threads may add what they have found in any order.
#pragma once

#include <cstdint>

#include "cpu/kernels/common/range.hpp"
#include "cpu/kernels/reduce/reduce.hpp"

namespace fuseq::kernels {

inline constexpr std::size_t kMaxIntegerColumns = 1024;

struct ColumnSums {
    std::int64_t sums[kMaxIntegerColumns];
    std::int64_t squares[kMaxIntegerColumns];
};
// What is subtracted from the elements of a column, and what the rest is multiplied by.
struct ColumnFactors {
    float mean[kMaxIntegerColumns];
    float factor[kMaxIntegerColumns];
};

// Whether normalize_integers() takes it: u8 or i8, kMaxIntegerColumns columns at most.
bool takes_integers(const NormalizeParams& params);

// Of rows [begin, end): sets the first params.inner elements of `found`.
void sum_columns(const NormalizeParams& params, const void* src, Range rows, ColumnSums& found);
// Adds `found` to `total`; several threads at once.
void add_sums(const NormalizeParams& params, const ColumnSums& found, ColumnSums& total);
// The formulas of normalize(), in double until the end.
void factors_of(const NormalizeParams& params, const ColumnSums& total, ColumnFactors& factors);
// Rows [begin, end) of dst.
void normalize_rows(const NormalizeParams& params,
                    const ColumnFactors& factors,
                    const void* src,
                    void* dst,
                    Range rows);

}  // namespace fuseq::kernels
