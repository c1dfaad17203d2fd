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

struct Vex {
    static HWY_INLINE V32 add(V32 sum, V32 a, V32 b) {
        asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(a.raw), "x"(b.raw));
        return sum;
    }
};

struct Evex {
    static HWY_INLINE V32 add(V32 sum, V32 a, V32 b) {
        asm("%{evex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(a.raw), "x"(b.raw));
        return sum;
    }
};

}  // namespace

gemm::NarrowKernel vnni256_kernel(bool vex) {
    constexpr auto kRows = std::make_index_sequence<narrow::kRows>{};
    return vex ? narrow::kernel_of<Vex>(kRows) : narrow::kernel_of<Evex>(kRows);
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
