// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Dot products of bytes in vectors of 256 bits. AVX-VNNI has the VEX form of vpdpbusd, AVX-512 VNNI
// (with VL) the EVEX form; they differ in their bytes only. For code of the AVX2 target, for which
// the compiler has neither: hence assembly. To be included after hwy/highway.h, once a target.
#if defined(FUSEQ_KERNELS_VNNI256_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_VNNI256_INL_H_
#undef FUSEQ_KERNELS_VNNI256_INL_H_
#else
#define FUSEQ_KERNELS_VNNI256_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

#if HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

// Adds the products of the unsigned bytes of `a` and the signed bytes of `b`, four in each lane.
// add_from() reads b from memory. add_words(): of the signed words of both, two in each lane.
struct Vex {
    using V32 = hwy::HWY_NAMESPACE::Vec<hwy::HWY_NAMESPACE::FixedTag<std::int32_t, 8>>;
    static HWY_INLINE V32 add(V32 sum, V32 a, V32 b) {
        asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(a.raw), "x"(b.raw));
        return sum;
    }
    static HWY_INLINE __m256i add(__m256i sum, __m256i a, __m256i b) {
        return add(V32{sum}, V32{a}, V32{b}).raw;
    }
    static HWY_INLINE __m256i add_words(__m256i sum, __m256i a, __m256i b) {
        asm("%{vex%} vpdpwssd %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
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
    using V32 = Vex::V32;
    static HWY_INLINE V32 add(V32 sum, V32 a, V32 b) {
        asm("%{evex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(a.raw), "x"(b.raw));
        return sum;
    }
    static HWY_INLINE __m256i add(__m256i sum, __m256i a, __m256i b) {
        return add(V32{sum}, V32{a}, V32{b}).raw;
    }
    static HWY_INLINE __m256i add_words(__m256i sum, __m256i a, __m256i b) {
        asm("%{evex%} vpdpwssd %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
        return sum;
    }
    static HWY_INLINE V32 add_from(V32 sum, V32 a, const std::int8_t* b) {
        asm("%{evex%} vpdpbusd %2, %1, %0"
            : "+x"(sum.raw)
            : "x"(a.raw), "m"(*reinterpret_cast<const __m256i*>(b)));
        return sum;
    }
};

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();
#endif

#endif  // toggle
