// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Four neighbouring pixels by a kernel of three columns: a column is loaded once for all windows that it
// is in. To be included after hwy/highway.h, once a target.
#if defined(FUSEQ_KERNELS_DEPTHWISE_THREE_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_DEPTHWISE_THREE_COLUMNS_INL_H_
#undef FUSEQ_KERNELS_DEPTHWISE_THREE_COLUMNS_INL_H_
#else
#define FUSEQ_KERNELS_DEPTHWISE_THREE_COLUMNS_INL_H_
#endif

#include <cstddef>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/hwy_unrolled-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels::depthwise {
namespace HWY_NAMESPACE {

constexpr std::size_t kPixelsAtOnce = 4;
constexpr std::size_t kThreeColumns = 3;

// add(pixel, column of the kernel, load(column of the source)), both numbers as constants.
template <std::size_t Stride, class Load, class Add>
HWY_INLINE void over_three_columns(const Load& load, const Add& add) {
    using fuseq::kernels::HWY_NAMESPACE::unrolled;
    constexpr std::size_t kColumns = (kPixelsAtOnce - 1) * Stride + kThreeColumns;
    unrolled<kColumns>([&](auto c) FUSEQ_HWY_LAMBDA {
        const auto column = load(c);
        unrolled<kPixelsAtOnce>([&](auto p) FUSEQ_HWY_LAMBDA {
            constexpr std::size_t kFirst = decltype(p)::value * Stride;
            constexpr std::size_t kColumn = decltype(c)::value;
            if constexpr (kColumn >= kFirst && kColumn < kFirst + kThreeColumns) {
                add(p, std::integral_constant<std::size_t, kColumn - kFirst>{}, column);
            }
        });
    });
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels::depthwise
HWY_AFTER_NAMESPACE();

#endif  // toggle
