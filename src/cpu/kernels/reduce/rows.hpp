// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions over the last axis of f32 tensors, with the conversion to the next tensor fused into
// the write. A row is one position of all other axes; rows are dense in src and dst. All sums are
// made in one fixed order (64 interleaved partial sums; one by one in rows of softmax
// up to 32 elements), so that the bytes are the same on every
// instruction set and for every split of the rows. No allocation. src and dst may be the same
// tensor when both are f32; otherwise they must not overlap.
#pragma once

#include <cstdint>
#include <span>

#include "cpu/kernels/common/range.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

// softmax: p = exp(x - max) / sum, exp within 2 units in the last place;
//   v = fma(p, scale, shift); dst = v, or v rounded half to even and saturated (u8, i8).
// A row with a +inf or NaN gives NaN; one of nothing but -inf too.
struct SoftmaxParams {
    std::size_t length = 0;  // of a row
    // Elements of a row are this far apart, and so many rows lie between one another: the tensor is
    // [.., length, inner]. Sums run from the first element to the last then.
    std::size_t inner = 1;
    ElementType dst_type = ElementType::f32;  // u8, i8, f32
    float scale = 1.0f;
    float shift = 0.0f;
};
void softmax(const SoftmaxParams& params, const float* src, void* dst, Range rows);

// Layer normalisation (MVN over the last axis, then gamma and beta):
//   d = x - mean; variance = mean of d * d; y = d * (1 / sqrt(variance + epsilon)), or
//   y = d * (1 / (sqrt(variance) + epsilon)) with epsilon_outside; y = d without normalize_variance
//   v = fma(y, gamma[i], beta[i]); dst = v, or v rounded half to even and saturated (u8, i8)
// For a quantized dst the caller folds: gamma * inv_scale, beta * inv_scale + zero_point.
struct LayerNormParams {
    std::size_t length = 0;
    ElementType dst_type = ElementType::f32;  // u8, i8, f32
    float epsilon = 1e-5f;
    bool epsilon_outside = false;
    bool normalize_variance = true;
    bool keep_mean = false;          // 0 stands for the mean: RMS norm
    std::span<const float> gamma{};  // `length` values, one, or none
    std::span<const float> beta{};
};
void layer_norm(const LayerNormParams& params, const float* src, void* dst, Range rows);

// Throw fuseq::Error for what the functions above do not take; those do not check again.
void check_softmax(const SoftmaxParams& params);
void check_layer_norm(const LayerNormParams& params);

}  // namespace fuseq::kernels
