// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The epilogue of a normalisation of columns, on registers: gamma and beta, a slope for negative
// values, a shift and bounds. To be included after hwy/highway.h, once a target.
#if defined(FUSEQ_KERNELS_COLUMN_EPILOGUE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_COLUMN_EPILOGUE_INL_H_
#undef FUSEQ_KERNELS_COLUMN_EPILOGUE_INL_H_
#else
#define FUSEQ_KERNELS_COLUMN_EPILOGUE_INL_H_
#endif

#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/reduce/reduce.hpp"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

template <class D>
HWY_INLINE hn::Vec<D> column_values(D d,
                                    std::span<const float> list,
                                    std::size_t column,
                                    float none) {
    return list.size() > 1 ? hn::LoadU(d, list.data() + column)
                           : hn::Set(d, list.empty() ? none : list[0]);
}

// Calls body with a function of normalised values, all of the columns from `column` on. Which
// parts there are is asked once, not for every row.
template <class D, class Body>
HWY_INLINE void with_column_epilogue(D d,
                                     const NormalizeParams& p,
                                     std::size_t column,
                                     const Body& body) {
    using V = hn::Vec<D>;
    const V gamma = column_values(d, p.gamma, column, 1.0f);
    const V beta = column_values(d, p.beta, column, 0.0f);
    if (p.has_activation()) {
        const V slope = column_values(d, p.slope, column, 1.0f);
        const V shift = hn::Set(d, p.shift);
        const V low = hn::Set(d, p.low);
        const V high = hn::Set(d, p.high);
        return body([=](V y) HWY_ATTR {
            const V v = fused_mul_add(d, y, gamma, beta);
            const V sloped = hn::IfThenElse(hn::Gt(v, hn::Zero(d)), v, hn::Mul(v, slope));
            // A NaN stays: the second operand is what it is compared with.
            return hn::Min(high, hn::Max(low, hn::Add(sloped, shift)));
        });
    }
    if (p.gamma.empty() && p.beta.empty()) {
        return body([](V y) HWY_ATTR { return y; });
    }
    body([=](V y) HWY_ATTR { return fused_mul_add(d, y, gamma, beta); });
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif
