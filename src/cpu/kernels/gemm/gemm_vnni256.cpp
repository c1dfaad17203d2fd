// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The micro-kernel with VNNI in vectors of 256 bits: the tile and the packed weights are those of
// 16 channels. AVX-VNNI has the VEX form of vpdpbusd, AVX-512 VNNI (with VL) the EVEX form; they
// differ in their bytes only. Compiled with the AVX2 target, for which the compiler has neither:
// hence assembly.
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_vnni256.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/gemm/gemm_narrow_tile-inl.h"
#include "cpu/kernels/gemm/gemm_vnni_check.hpp"
#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/instructions.hpp"

#if HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

using narrow::V32;

// add_from() reads b from memory.
struct Vex {
    static HWY_INLINE V32 add(V32 sum, V32 a, V32 b) {
        asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(a.raw), "x"(b.raw));
        return sum;
    }
    static HWY_INLINE V32 add_from(V32 sum, V32 a, const std::int8_t* b) {
        asm("%{vex%} vpdpbusd %2, %1, %0"
            : "+x"(sum.raw)
            : "x"(a.raw), "m"(*reinterpret_cast<const __m256i*>(b)));
        return sum;
    }
};

struct Evex {
    static HWY_INLINE V32 add(V32 sum, V32 a, V32 b) {
        asm("%{evex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(a.raw), "x"(b.raw));
        return sum;
    }
    static HWY_INLINE V32 add_from(V32 sum, V32 a, const std::int8_t* b) {
        asm("%{evex%} vpdpbusd %2, %1, %0"
            : "+x"(sum.raw)
            : "x"(a.raw), "m"(*reinterpret_cast<const __m256i*>(b)));
        return sum;
    }
};

// A tile of seven rows fills all registers: 14 sums, the source and the first vector of weights.
// The second one comes from memory with each product. Sizes of images are often multiples of 7,
// and 12 sums hardly hide the latency of a product, five cycles of two products each.
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

template <class Product>
void long_micro(const gemm::MicroCall& call) {
    narrow::Sums<kRows * narrow::kVectors> sums;
    narrow::begin(sums, call.init, std::make_index_sequence<kRows * narrow::kVectors>{});
    const std::int8_t* wei = call.wei;
    const std::int8_t* ahead = call.ahead;
    for (const std::ptrdiff_t tap : call.taps) {
        const std::uint8_t* src = call.src + tap;
        const std::int8_t* const end = wei + call.depth4 * narrow::kStepBytes;
        while (wei != end) {
            add_long_step<Product>(sums, src, call.src_step, wei,
                                   std::make_index_sequence<kRows>{});
            __builtin_prefetch(wei + kLinesAhead * narrow::kStepBytes, 0, 3);
            __builtin_prefetch(ahead, 0, 2);
            ahead += call.ahead_step;
            src += 4;
            wei += narrow::kStepBytes;
        }
        wei += call.skip;
    }
    narrow::store(sums, call.tile, std::make_index_sequence<kRows * narrow::kVectors>{});
}

template <class Product, std::size_t... Row>
gemm::NarrowKernel kernel_of(std::index_sequence<Row...>) {
    static constexpr gemm::MicroFunction kFunctions[] = {&narrow::micro<Product, Row + 1>...,
                                                         &long_micro<Product>};
    return {kFunctions, kRows};
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
