// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions of f32 and normalisation over neighbouring dimensions anywhere in a dense tensor: its
// dimensions are seen as [outer, length, inner], `length` is what is reduced. The last axes have
// inner 1; the spatial axes of a channels-last tensor have inner = channels. All sums are made in
// one fixed order, the same bytes on every instruction set and for every split of the work. No
// allocation.
#pragma once

#include <limits>
#include <span>

#include "cpu/kernels/common/range.hpp"
#include "fuseq/element_type.hpp"

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

// y = (x - mean) * f; f = 1 / sqrt(variance + epsilon), or 1 / (sqrt(variance) + epsilon) with
// epsilon_outside, or 1 without normalize_variance.
// v = fma(y, gamma[c], beta[c]), c the inner position; with has_activation()
// v = min(max((v > 0 ? v : v * slope[c]) + shift, low), high); dst = v, or v rounded half to even
// and saturated (u8, i8). dst may be src when the types are the same. For inner 1 and f32
// layer_norm of rows.hpp is faster.
struct NormalizeParams {
    std::size_t length = 0;
    std::size_t inner = 1;
    float epsilon = 1e-5f;
    bool epsilon_outside = false;
    bool normalize_variance = true;
    ElementType src_type = ElementType::f32;  // u8, i8, f32
    ElementType dst_type = ElementType::f32;
    std::span<const float> gamma{};  // `inner` values, one, or none
    std::span<const float> beta{};
    std::span<const float> slope{};
    float shift = 0.0f;
    float low = -std::numeric_limits<float>::infinity();
    float high = std::numeric_limits<float>::infinity();

    bool has_activation() const {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        return !slope.empty() || shift != 0.0f || low != -kInfinity || high != kInfinity;
    }
};
void normalize(const NormalizeParams& params, const void* src, void* dst, Range outer, Range inner);

// Throw fuseq::Error for what the functions above do not take; those do not check again.
void check_reduce(const ReduceParams& params);
void check_normalize(const NormalizeParams& params);

}  // namespace fuseq::kernels
