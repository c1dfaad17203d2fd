// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The micro-kernel for machines without VNNI: source and weights are 16-bit integers, multiplied in
// pairs and added to 32-bit sums (vpmaddwd, vpaddd). Nothing saturates: a product of a byte less a
// zero point and a weight has 16 bits and a sign, two of them fit easily.
//
// A pair of source values takes the four bytes that VNNI's quad takes, and a pair of weights too,
// so that everything around the micro-kernel is the same; only a pixel has twice as many bytes.
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_pairs.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/gemm/gemm_narrow_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Pairs {
    static HWY_INLINE narrow::V32 add(narrow::V32 sum, narrow::V32 a, narrow::V32 b) {
        const narrow::D16 d;
        narrow::V32 unused = hn::Zero(narrow::D32());
        return hn::ReorderWidenMulAccumulate(narrow::D32(), hn::BitCast(d, a), hn::BitCast(d, b),
                                             sum, unused);
    }
};

gemm::NarrowKernel pair_kernel() {
    return narrow::kernel_of<Pairs>(std::make_index_sequence<narrow::kRows>{});
}

// Bytes less a zero point.
template <class T>
HWY_INLINE void widen_as(const T* from,
                         std::size_t count,
                         std::int32_t zero_point,
                         std::int16_t* to) {
    const hn::ScalableTag<std::int16_t> d;
    const hn::Rebind<T, decltype(d)> bytes;
    const auto minus = hn::Set(d, static_cast<std::int16_t>(zero_point));
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        hn::StoreU(hn::Sub(hn::PromoteTo(d, hn::LoadU(bytes, from + i)), minus), d, to + i);
    }
    for (; i < count; ++i) {
        to[i] = static_cast<std::int16_t>(from[i] - zero_point);
    }
}

void widen(const void* from,
           std::size_t count,
           bool is_signed,
           std::int32_t zero_point,
           std::int16_t* to) {
    if (is_signed) {
        widen_as(static_cast<const std::int8_t*>(from), count, zero_point, to);
    } else {
        widen_as(static_cast<const std::uint8_t*>(from), count, zero_point, to);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(pair_kernel);
HWY_EXPORT(widen);

namespace gemm {

NarrowKernel pair_kernel() {
    return HWY_DYNAMIC_DISPATCH(pair_kernel)();
}

void widen(const void* from,
           std::size_t count,
           bool is_signed,
           std::int32_t zero_point,
           std::int16_t* to) {
    HWY_DYNAMIC_DISPATCH(widen)(from, count, is_signed, zero_point, to);
}

}  // namespace gemm
}  // namespace fuseq::kernels
#endif
