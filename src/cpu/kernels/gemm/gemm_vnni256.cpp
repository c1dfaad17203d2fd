// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The micro-kernel with VNNI in vectors of 256 bits: the tile and the packed weights are those of
// 16 channels.
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_vnni256.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni256-inl.h"
#include "cpu/kernels/gemm/gemm_narrow_tile-inl.h"
#include "cpu/kernels/gemm/gemm_vnni_check.hpp"
#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/instructions.hpp"

#if HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

using gemm::MicroCall;
using narrow::V32;

// A tile of seven rows fills all registers: 14 sums, the source and the first vector of weights.
// The second one comes from memory with each product. Sizes of images are often multiples of 7,
// and 12 sums hardly hide the latency of a product, five cycles of two products each. 15 loads for
// 14 products are too many where two are loaded a cycle: there tiles have the six rows of all forms.
constexpr std::size_t kRows = 7;
// Weights of deep layers are in L2: into L1 before seven products wait for each line.
constexpr std::size_t kLinesAhead = 8;

template <class Product, std::size_t Row>
HWY_INLINE void add_long_row(narrow::Sums<kRows * narrow::kVectors>& sums,
                             V32 a,
                             V32 first,
                             const std::int8_t* second) {
    V32* const of_row = sums.v + Row * narrow::kVectors;
    of_row[0] = Product::add(of_row[0], a, first);
    of_row[1] = Product::add_from(of_row[1], a, second);
}

template <class Product, std::size_t... Row>
HWY_INLINE void add_long_step(narrow::Sums<kRows * narrow::kVectors>& sums,
                              const std::uint8_t* src,
                              std::ptrdiff_t step,
                              const std::int8_t* wei,
                              std::index_sequence<Row...>) {
    const V32 first = narrow::load_weights(wei, 0);
    (add_long_row<Product, Row>(sums,
                                narrow::broadcast(src + static_cast<std::ptrdiff_t>(Row) * step),
                                first, wei + narrow::kStepBytes / 2),
     ...);
}

template <class Product, std::size_t... Step>
HWY_INLINE void add_long_steps(narrow::Sums<kRows * narrow::kVectors>& sums,
                               const MicroCall& call,
                               narrow::Places& at,
                               std::index_sequence<Step...>) {
    ((add_long_step<Product>(sums, at.src + 4 * Step, call.src_step,
                             at.wei + Step * narrow::kStepBytes, std::make_index_sequence<kRows>{}),
      __builtin_prefetch(at.wei + (kLinesAhead + Step) * narrow::kStepBytes, 0, 3),
      __builtin_prefetch(at.ahead + Step * call.ahead_step, 0, 2)),
     ...);
    at.advance(sizeof...(Step), call.ahead_step);
}

template <class Product>
void long_micro(const MicroCall& call) {
    narrow::Sums<kRows * narrow::kVectors> sums;
    narrow::begin(sums, call.init, std::make_index_sequence<kRows * narrow::kVectors>{});
    narrow::for_steps(call, [&](narrow::Places& at, auto steps) FUSEQ_HWY_LAMBDA {
        add_long_steps<Product>(sums, call, at, steps);
    });
    narrow::store(sums, call.tile, std::make_index_sequence<kRows * narrow::kVectors>{});
}

template <class Product, std::size_t... Row>
gemm::NarrowKernel kernel_of(std::index_sequence<Row...>) {
    static constexpr gemm::MicroFunction kFunctions[] = {&narrow::micro<Product, Row + 1>...,
                                                         &long_micro<Product>};
    return {kFunctions, loads_two_vectors_a_cycle() ? narrow::kRows : kRows};
}

}  // namespace

gemm::NarrowKernel vnni256_kernel(bool vex) {
    constexpr auto kShort = std::make_index_sequence<narrow::kRows>{};
    return vex ? kernel_of<Vex>(kShort) : kernel_of<Evex>(kShort);
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace fuseq::kernels::gemm {

NarrowKernel vnni256_kernel() {
#if (HWY_TARGETS & HWY_AVX2) != 0
    return N_AVX2::vnni256_kernel(has_avx_vnni());
#else
    refuse("this build has no AVX2");
#endif
}

}  // namespace fuseq::kernels::gemm
#endif
