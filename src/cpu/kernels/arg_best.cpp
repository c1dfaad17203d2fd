// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/arg_best.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/arg_best.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/exact-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

template <bool kLargest>
void arg_best_of(
    const ArgBestParams& p, const float* src, float* values, std::int32_t* indices, Range inner) {
    src += inner.begin;
    values += inner.begin;
    indices += inner.begin;
    for_vectors(inner.end - inner.begin, [&](auto d, std::size_t at) HWY_ATTR {
        const hn::RebindToSigned<decltype(d)> di;
        auto best = hn::LoadU(d, src + at);
        auto index = hn::Zero(di);
        for (std::size_t i = 1; i < p.size; ++i) {
            const auto x = hn::LoadU(d, src + i * p.inner + at);
            const auto better = kLargest ? hn::Gt(x, best) : hn::Lt(x, best);
            // Not Ne: on AVX-512 Highway's is false for NaN.
            const auto first_number = hn::AndNot(hn::Eq(best, best), hn::Eq(x, x));
            const auto take = hn::Or(better, first_number);
            best = hn::IfThenElse(take, x, best);
            const auto now = hn::Set(di, static_cast<std::int32_t>(i));
            index = hn::IfThenElse(hn::RebindMask(di, take), now, index);
        }
        hn::StoreU(best, d, values + at);
        hn::StoreU(index, di, indices + at);
    });
}

void arg_best_impl(
    const ArgBestParams& p, const float* src, float* values, std::int32_t* indices, Range inner) {
    if (p.largest) {
        arg_best_of<true>(p, src, values, indices, inner);
    } else {
        arg_best_of<false>(p, src, values, indices, inner);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(arg_best_impl);

void arg_best(const ArgBestParams& params,
              const float* src,
              float* values,
              std::int32_t* indices,
              Range inner) {
    HWY_DYNAMIC_DISPATCH(arg_best_impl)(params, src, values, indices, inner);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
