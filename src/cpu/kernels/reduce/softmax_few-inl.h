// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Softmax of rows of two to four floats, as many rows side by side as a vector has lanes: nothing
// goes through memory to be transposed. For rows.cpp; include after hwy/highway.h, once a target.
#if defined(FUSEQ_KERNELS_SOFTMAX_FEW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_SOFTMAX_FEW_INL_H_
#undef FUSEQ_KERNELS_SOFTMAX_FEW_INL_H_
#else
#define FUSEQ_KERNELS_SOFTMAX_FEW_INL_H_
#endif

#include <cstddef>

#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/eltwise/exp_below_zero-inl.h"
#include "cpu/kernels/reduce/rows.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

// A vector of first elements of rows, one of second elements, ...
template <std::size_t N>
HWY_INLINE void load_columns(const float* src, hn::Vec<hn::ScalableTag<float>> (&x)[N]) {
    const hn::ScalableTag<float> d;
    if constexpr (N == 2) {
        hn::LoadInterleaved2(d, src, x[0], x[1]);
    } else if constexpr (N == 3) {
        hn::LoadInterleaved3(d, src, x[0], x[1], x[2]);
    } else {
        hn::LoadInterleaved4(d, src, x[0], x[1], x[2], x[3]);
    }
}

template <std::size_t N>
HWY_INLINE void store_columns(const hn::Vec<hn::ScalableTag<float>> (&x)[N], float* dst) {
    const hn::ScalableTag<float> d;
    if constexpr (N == 2) {
        hn::StoreInterleaved2(x[0], x[1], d, dst);
    } else if constexpr (N == 3) {
        hn::StoreInterleaved3(x[0], x[1], x[2], d, dst);
    } else {
        hn::StoreInterleaved4(x[0], x[1], x[2], x[3], d, dst);
    }
}

// Rows of N floats, whole vectors of them. dst may be src.
template <std::size_t N>
void softmax_few(const SoftmaxParams& params, const float* src, float* dst, std::size_t rows) {
    const hn::ScalableTag<float> d;
    for (std::size_t r = 0; r < rows; r += hn::Lanes(d)) {
        hn::Vec<decltype(d)> x[N];
        load_columns(src + r * N, x);
        auto max = x[0];
        HWY_UNROLL(3)
        for (std::size_t i = 1; i < N; ++i) {
            max = hn::Max(max, x[i]);
        }
        auto sum = hn::Zero(d);
        HWY_UNROLL(4)
        for (std::size_t i = 0; i < N; ++i) {
            x[i] = exp_of(d, hn::Sub(x[i], max));
            sum = hn::Add(sum, x[i]);
        }
        const auto inv_sum = hn::Div(hn::Set(d, 1.0f), sum);
        HWY_UNROLL(4)
        for (std::size_t i = 0; i < N; ++i) {
            const auto p = hn::Mul(x[i], inv_sum);
            x[i] = fused_mul_add(d, p, hn::Set(d, params.scale), hn::Set(d, params.shift));
        }
        store_columns(x, dst + r * N);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
