// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions and normalisation of f32 over neighbouring dimensions anywhere in a dense tensor: its
// dimensions are seen as [outer, length, inner], `length` is what is reduced. The last axes have
// inner 1; the spatial axes of a channels-last tensor have inner = channels. All sums are made in
// one fixed order, the same bytes on every instruction set and for every split of the work. No
// allocation.
#pragma once

#include "cpu/kernels/range.hpp"

namespace fuseq::kernels {

// kL1: sum of |x|. kL2: root of the sum of squares, which overflows where a square does.
enum class Reduction { kSum, kMean, kMax, kMin, kL1, kL2 };

struct ReduceParams {
    Reduction kind = Reduction::kSum;
    std::size_t length = 0;
    std::size_t inner = 1;
};

// dst [outer, inner]. kMax and kMin pass over NaN; the others give it.
void reduce(const ReduceParams& params, const float* src, float* dst, Range outer, Range inner);

// dst = (x - mean) * f; f = 1 / sqrt(variance + epsilon), or 1 / (sqrt(variance) + epsilon) with
// epsilon_outside, or 1 without normalize_variance. dst may be src. For inner 1 layer_norm of
// rows.hpp is faster.
struct NormalizeParams {
    std::size_t length = 0;
    std::size_t inner = 1;
    float epsilon = 1e-5f;
    bool epsilon_outside = false;
    bool normalize_variance = true;
};
void normalize(
    const NormalizeParams& params, const float* src, float* dst, Range outer, Range inner);

// Throw fuseq::Error for a length or inner size of 0; the functions above do not check again.
void check_reduce(const ReduceParams& params);
void check_normalize(const NormalizeParams& params);

}  // namespace fuseq::kernels
