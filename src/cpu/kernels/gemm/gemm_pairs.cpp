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
#include <utility>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/always_inline.hpp"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using gemm::kLanes;
using gemm::MicroCall;
using gemm::MicroFunction;

using D32 = hn::CappedTag<std::int32_t, 16>;
using D16 = hn::Repartition<std::int16_t, D32>;
using V32 = hn::Vec<D32>;
using V16 = hn::Vec<D16>;

// Vectors for the 16 channels of a panel. Sums, weights and one broadcast pair stay in registers:
// of 16 registers 12 are sums, of 32 up to 28.
constexpr std::size_t kVectors = kLanes / hn::MaxLanes(D32());
constexpr std::size_t kRows = kVectors == 1 ? 28 : kVectors == 2 ? 6 : 3;

template <std::size_t Count>
struct Sums {
    V32 v[Count];
};

template <std::size_t... I>
HWY_INLINE void begin(Sums<sizeof...(I)>& sums,
                      const std::int32_t* init,
                      std::index_sequence<I...>) {
    const D32 d;
    ((sums.v[I] = hn::Load(d, init + hn::MaxLanes(D32()) * (I % kVectors))), ...);
}

HWY_INLINE V16 broadcast_pair(const std::uint8_t* from) {
    std::int32_t pair;
    __builtin_memcpy(&pair, from, sizeof(pair));
    return hn::BitCast(D16(), hn::Set(D32(), pair));
}

HWY_INLINE V32 add_products(V32 sum, V16 a, V16 b) {
    V32 unused = hn::Zero(D32());
    return hn::ReorderWidenMulAccumulate(D32(), a, b, sum, unused);
}

template <std::size_t Row, std::size_t Count, std::size_t... N>
HWY_INLINE void add_row(Sums<Count>& sums, V16 a, const V16* b, std::index_sequence<N...>) {
    ((sums.v[Row * kVectors + N] = add_products(sums.v[Row * kVectors + N], a, b[N])), ...);
}

template <std::size_t Count, std::size_t... Row>
HWY_INLINE void add_rows(Sums<Count>& sums,
                         const std::uint8_t* src,
                         std::ptrdiff_t step,
                         const V16* b,
                         std::index_sequence<Row...>) {
    (add_row<Row>(sums, broadcast_pair(src + static_cast<std::ptrdiff_t>(Row) * step), b,
                  std::make_index_sequence<kVectors>{}),
     ...);
}

template <std::size_t... I>
HWY_INLINE void store(const Sums<sizeof...(I)>& sums,
                      std::int32_t* tile,
                      std::index_sequence<I...>) {
    const D32 d;
    (hn::Store(sums.v[I], d, tile + hn::MaxLanes(D32()) * I), ...);
}

template <std::size_t Rows>
void micro(const MicroCall& call) {
    const D32 d;
    const D16 d16;
    constexpr std::size_t kPanelBytes = 4 * kLanes;  // of weights, for a pair of source values
    Sums<Rows * kVectors> sums;
    begin(sums, call.init, std::make_index_sequence<Rows * kVectors>{});
    const std::int8_t* wei = call.wei;
    const std::int8_t* ahead = call.ahead;
    for (const std::ptrdiff_t tap : call.taps) {
        const std::uint8_t* src = call.src + tap;
        const std::int8_t* const end = wei + call.depth4 * kPanelBytes;
        while (wei != end) {
            V16 b[kVectors];
            for (std::size_t n = 0; n < kVectors; ++n) {
                b[n] = hn::BitCast(d16, hn::Load(d, reinterpret_cast<const std::int32_t*>(wei) +
                                                        hn::MaxLanes(D32()) * n));
            }
            add_rows(sums, src, call.src_step, b, std::make_index_sequence<Rows>{});
            __builtin_prefetch(ahead, 0, 2);
            ahead += call.ahead_step;
            src += 4;
            wei += kPanelBytes;
        }
        wei += call.skip;
    }
    store(sums, call.tile, std::make_index_sequence<Rows * kVectors>{});
}

template <std::size_t... Row>
gemm::PairKernel functions(std::index_sequence<Row...>) {
    static constexpr MicroFunction kFunctions[] = {&micro<Row + 1>...};
    return {kFunctions, sizeof...(Row)};
}

gemm::PairKernel pair_functions() {
    return functions(std::make_index_sequence<kRows>{});
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

HWY_EXPORT(pair_functions);
HWY_EXPORT(widen);

namespace gemm {

PairKernel pair_kernel() {
    return HWY_DYNAMIC_DISPATCH(pair_functions)();
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
