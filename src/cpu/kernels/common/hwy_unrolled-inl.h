// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops over vectors in registers, for Highway's targets (unrolled-inl.h is that of AVX-512 VNNI's
// kernels: a function is only inlined into those of its target). Include after hwy/highway.h, once
// a target.
#if defined(FUSEQ_KERNELS_HWY_UNROLLED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_HWY_UNROLLED_INL_H_
#undef FUSEQ_KERNELS_HWY_UNROLLED_INL_H_
#else
#define FUSEQ_KERNELS_HWY_UNROLLED_INL_H_
#endif

#include <cstddef>
#include <utility>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

template <class F, std::size_t... I>
HWY_INLINE void unrolled(F&& f, std::index_sequence<I...> /*all*/) {
    (f(std::integral_constant<std::size_t, I>{}), ...);
}
// f(0), f(1), ... f(N - 1), of constants: the compiler keeps an array in registers only without
// loops over it.
template <std::size_t N, class F>
HWY_INLINE void unrolled(F&& f) {
    unrolled(f, std::make_index_sequence<N>{});
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif
