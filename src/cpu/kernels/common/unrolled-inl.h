// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops over vectors in registers, for kernels written with the intrinsics of AVX-512 VNNI. The
// functions have internal linkage and the target of the kernels, or they could not be inlined.
#pragma once

#include <cstddef>
#include <utility>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni_target.hpp"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels {
namespace {

template <class F, std::size_t... I>
FUSEQ_INLINE void unrolled(F&& f, std::index_sequence<I...>) {
    (f(std::integral_constant<std::size_t, I>{}), ...);
}
// f(0), f(1), ... f(N - 1), of constants.
template <std::size_t N, class F>
FUSEQ_INLINE void unrolled(F&& f) {
    unrolled(f, std::make_index_sequence<N>{});
}

// N vectors that the compiler can keep in registers (std::array::fill and the like prevent that).
template <class Vector, std::size_t N>
struct Registers {
    Vector v[N];
    FUSEQ_INLINE Vector& operator[](std::size_t i) { return v[i]; }
    FUSEQ_INLINE const Vector& operator[](std::size_t i) const { return v[i]; }
};

}  // namespace
}  // namespace fuseq::kernels

FUSEQ_END_VNNI
