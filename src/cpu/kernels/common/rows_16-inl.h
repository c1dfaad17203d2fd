// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of i16 of any length by a function of whole vectors. To be included after hwy/highway.h, once
// a target.
#if defined(FUSEQ_ROWS_16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_ROWS_16_INL_H_
#undef FUSEQ_ROWS_16_INL_H_
#else
#define FUSEQ_ROWS_16_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

// function(src, dst) reads and writes as many i16 as a vector has i32; src and dst may be the same.
template <class Function>
HWY_INLINE void over_row_16(const std::int16_t* src,
                            std::size_t count,
                            std::int16_t* dst,
                            const Function& function) {
    const std::size_t lanes =
        hwy::HWY_NAMESPACE::Lanes(hwy::HWY_NAMESPACE::ScalableTag<std::int32_t>());
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        function(src + i, dst + i);
    }
    if (i < count) {
        std::int16_t some[HWY_MAX_BYTES / sizeof(std::int32_t)] = {};
        std::copy_n(src + i, count - i, some);
        function(some, some);
        std::copy_n(some, count - i, dst + i);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif
