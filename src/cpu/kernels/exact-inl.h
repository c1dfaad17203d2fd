// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Float helpers that give the same bits on every Highway target. To be included after
// hwy/highway.h, once a target (the usual toggle of Highway's -inl.h files).
#if defined(FUSEQ_KERNELS_EXACT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_EXACT_INL_H_
#undef FUSEQ_KERNELS_EXACT_INL_H_
#else
#define FUSEQ_KERNELS_EXACT_INL_H_
#endif

#include <cmath>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// a * b + c, rounded once. Targets below AVX2 have no such instruction: lane by lane there.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V fused_mul_add(D d, V a, V b, V c) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4
    alignas(16) float x[hn::MaxLanes(d)];
    alignas(16) float y[hn::MaxLanes(d)];
    alignas(16) float z[hn::MaxLanes(d)];
    hn::Store(a, d, x);
    hn::Store(b, d, y);
    hn::Store(c, d, z);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
        z[i] = std::fma(x[i], y[i], z[i]);
    }
    return hn::Load(d, z);
#else
    (void)d;
    return hn::MulAdd(a, b, c);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
