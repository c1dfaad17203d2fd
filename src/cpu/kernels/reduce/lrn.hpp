// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Local response normalisation of f32 along one dimension anywhere in a dense tensor, which is seen
// as [outer, length, inner]: the channels of a channels-last tensor have inner 1, those of a plain
// one inner = positions. Windows over several dimensions are made of sums along one after the
// other. The same bytes on every instruction set and for every split of the work. No allocation.
#pragma once

#include "cpu/kernels/common/range.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

// s = sum of v over the elements at most `reach` away, v = x^2 (or what an earlier pass summed up)
// y = x * (bias + share * s)^-beta, r = fma(y, scale, shift); dst = r, or r rounded half to even
// and saturated (u8, i8).
struct LrnParams {
    std::size_t length = 0;
    std::size_t inner = 1;
    std::size_t reach = 0;
    float share = 0.0f;  // not below 0
    float bias = 1.0f;   // above 0
    float beta = 0.75f;
    ElementType dst_type = ElementType::f32;  // u8, i8, f32
    float scale = 1.0f;
    float shift = 0.0f;
};

// sums: of an earlier pass along another dimension; null: the squares of src are taken.
void lrn(const LrnParams& params,
         const float* src,
         const float* sums,
         void* dst,
         Range outer,
         Range inner);

// Only the sums s. `squares`: of the squares of src; else of src itself. dst must not be src.
void window_sums(
    const LrnParams& params, bool squares, const float* src, float* dst, Range outer, Range inner);

// The longest reach that rows (inner 1) have room for.
inline constexpr std::size_t kLrnMaxReach = 1024;

// Throws fuseq::Error for what the functions above do not take; those do not check again.
void check_lrn(const LrnParams& params);

}  // namespace fuseq::kernels
