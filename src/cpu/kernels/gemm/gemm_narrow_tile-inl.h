// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile of the micro-kernels for panels of 16 channels: its sums, and the loop over taps and
// depth. To be included after hwy/highway.h, once a target.
#if defined(FUSEQ_GEMM_NARROW_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_GEMM_NARROW_TILE_INL_H_
#undef FUSEQ_GEMM_NARROW_TILE_INL_H_
#else
#define FUSEQ_GEMM_NARROW_TILE_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace narrow {

namespace hn = hwy::HWY_NAMESPACE;
using gemm::kLanes;
using gemm::MicroCall;
using gemm::MicroFunction;

using D32 = hn::CappedTag<std::int32_t, 16>;
using D16 = hn::Repartition<std::int16_t, D32>;
using V32 = hn::Vec<D32>;
using V16 = hn::Vec<D16>;

// Sums, weights and one broadcast operand stay in registers: of 16 registers 12 are sums, of 32 up
// to 28.
constexpr std::size_t kVector = hn::MaxLanes(D32());
constexpr std::size_t kVectors = kLanes / kVector;  // of the channels of a panel
constexpr std::size_t kRows = kVectors == 1 ? 28 : kVectors == 2 ? 6 : 3;
constexpr std::size_t kStepBytes = 4 * kLanes;  // of weights, for four bytes of source

// Vector n of row m is number m * kVectors + n.
template <std::size_t Count>
struct Sums {
    V32 v[Count];
};

template <std::size_t... I>
HWY_INLINE void begin(Sums<sizeof...(I)>& sums,
                      const std::int32_t* init,
                      std::index_sequence<I...>) {
    const D32 d;
    ((sums.v[I] = hn::Load(d, init + kVector * (I % kVectors))), ...);
}

template <std::size_t... I>
HWY_INLINE void store(const Sums<sizeof...(I)>& sums,
                      std::int32_t* tile,
                      std::index_sequence<I...>) {
    const D32 d;
    (hn::Store(sums.v[I], d, tile + kVector * I), ...);
}

// Four bytes in every lane.
HWY_INLINE V32 broadcast(const std::uint8_t* from) {
    std::int32_t four;
    __builtin_memcpy(&four, from, sizeof(four));
    return hn::Set(D32(), four);
}

HWY_INLINE V32 load_weights(const std::int8_t* wei, std::size_t n) {
    return hn::Load(D32(), reinterpret_cast<const std::int32_t*>(wei) + kVector * n);
}

template <class Product, std::size_t Row, std::size_t Count, std::size_t... N>
HWY_INLINE void add_row(Sums<Count>& sums, V32 a, const V32* b, std::index_sequence<N...>) {
    ((sums.v[Row * kVectors + N] = Product::add(sums.v[Row * kVectors + N], a, b[N])), ...);
}

// Four bytes of depth of all rows. Product::add(sum, a, b): the sum and the products of the bytes
// of a and b, lane by lane.
template <class Product, std::size_t Count, std::size_t... Row>
HWY_INLINE void add_step(Sums<Count>& sums,
                         const std::uint8_t* src,
                         std::ptrdiff_t step,
                         const std::int8_t* wei,
                         std::index_sequence<Row...>) {
    V32 b[kVectors];
    for (std::size_t n = 0; n < kVectors; ++n) {
        b[n] = load_weights(wei, n);
    }
    (add_row<Product, Row>(sums, broadcast(src + static_cast<std::ptrdiff_t>(Row) * step), b,
                           std::make_index_sequence<kVectors>{}),
     ...);
}

// Where a step reads, and what it fetches ahead.
struct Places {
    const std::uint8_t* src;
    const std::int8_t* wei;
    const std::int8_t* ahead;
    HWY_INLINE void advance(std::size_t steps, std::size_t ahead_step) {
        src += 4 * steps;
        wei += steps * kStepBytes;
        ahead += steps * ahead_step;
    }
};

// Steps between two updates of the places, whose additions take units from the products. Tiles of
// many products a step need none.
constexpr std::size_t kSteps = kVectors == 2 ? 4 : 1;

// All steps in the order of the source: f(places, indices of the steps), which advances.
template <class F>
HWY_INLINE void for_steps(const MicroCall& call, F&& f) {
    Places at{nullptr, call.wei, call.ahead};
    for (const std::ptrdiff_t tap : call.taps) {
        at.src = call.src + tap;
        const std::int8_t* const end = at.wei + call.depth4 * kStepBytes;
        const std::int8_t* const last = at.wei + call.depth4 / kSteps * kSteps * kStepBytes;
        while (at.wei != last) {
            f(at, std::make_index_sequence<kSteps>{});
        }
        while (kSteps != 1 && at.wei != end) {
            f(at, std::make_index_sequence<1>{});
        }
        at.wei += call.skip;
    }
}

template <class Product, std::size_t Rows, std::size_t... Step>
HWY_INLINE void add_steps(Sums<Rows * kVectors>& sums,
                          const MicroCall& call,
                          Places& at,
                          std::index_sequence<Step...>) {
    ((add_step<Product>(sums, at.src + 4 * Step, call.src_step, at.wei + Step * kStepBytes,
                        std::make_index_sequence<Rows>{}),
      __builtin_prefetch(at.ahead + Step * call.ahead_step, 0, 2)),
     ...);
    at.advance(sizeof...(Step), call.ahead_step);
}

// The sums of a tile, complete.
template <class Product, std::size_t Rows>
HWY_INLINE void sum_tile(Sums<Rows * kVectors>& sums, const MicroCall& call) {
    begin(sums, call.init, std::make_index_sequence<Rows * kVectors>{});
    for_steps(call, [&](Places& at, auto steps)
                        FUSEQ_HWY_LAMBDA { add_steps<Product, Rows>(sums, call, at, steps); });
}

template <class Product, std::size_t Rows>
void micro(const MicroCall& call) {
    Sums<Rows * kVectors> sums;
    sum_tile<Product, Rows>(sums, call);
    store(sums, call.tile, std::make_index_sequence<Rows * kVectors>{});
}

template <class Product, std::size_t... Row>
gemm::NarrowKernel kernel_of(std::index_sequence<Row...>) {
    static constexpr MicroFunction kFunctions[] = {&micro<Product, Row + 1>...};
    return {kFunctions, sizeof...(Row)};
}

}  // namespace narrow
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif
