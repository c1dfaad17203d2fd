// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles in registers with a requantizing add: two dot products and a shift for 16 values instead of
// nine operations on floats.
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_vnni_fused_add.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// Once a target: its include guard is a toggle.
#include "cpu/kernels/gemm/gemm_vnni_fused-inl.h"
#include "cpu/kernels/gemm/gemm_vnni_quad-inl.h"
#include "cpu/kernels/gemm/gemm_vnni_requantizing_add-inl.h"

#if HWY_TARGET == HWY_AVX3

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

FUSEQ_BEGIN_VNNI

// The elements of the tensor, in the order of dst.
template <std::size_t Vectors>
HWY_INLINE __m512i load_bytes(const void* tensor, const Place& at) {
    const auto* from =
        static_cast<const std::uint8_t*>(tensor) + at.pixel * at.channels + at.channel;
    const auto row = [&](std::size_t r)
                         FUSEQ_HWY_LAMBDA { return from + (r < at.rows ? r : 0) * at.channels; };
    if constexpr (Vectors == 2) {
        const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
        return _mm512_inserti64x4(_mm512_castsi256_si512(first),
                                  _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row(1))), 1);
    } else {
        const auto load = [&](std::size_t r) FUSEQ_HWY_LAMBDA {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row(r)));
        };
        const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(load(0)), load(1), 1);
        const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(load(2)), load(3), 1);
        return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    }
}

template <Store To, bool Unsigned>
struct ByRequantizingAdd {
    template <std::size_t Vectors>
    static HWY_INLINE void quad(const __m512i (&acc)[kQuad],
                                const EpilogueCall& call,
                                const Place& at) {
        const gemm::Epilogue* e = call.epilogue;
        asm volatile("" : "+r"(e));
        const Quad scaled = scaled_quad<Vectors>(acc, *e, at.channel);
        constexpr Store kQ = Unsigned ? Store::kU8 : Store::kI8;
        const __m512i q = to_bytes<kQ>(scaled, false);
        const __m512i r = load_bytes<Vectors>(call.args->binary_sources[e->add->input], at);
        const auto constants = gemm::constants_of(*e->add, Unsigned);
        store_bytes<Vectors, true>(
            gemm::added_bytes<gemm::EluTableSize::kNone>(constants, q, r, To == Store::kI8), at,
            call.args->dst);
    }
};

FUSEQ_END_VNNI

template <Store To, bool Unsigned>
const FusedFunction* fused_add_tiles(std::size_t vectors) {
    using Finish = ByRequantizingAdd<To, Unsigned>;
    return vectors == 1 ? FusedTile<Finish, 1>::functions() : FusedTile<Finish, 2>::functions();
}

const FusedFunction* find_fused_add(const gemm::RequantizingAdd& add,
                                    Store store,
                                    std::size_t vectors) {
    if (store == Store::kU8) {
        return add.q_unsigned ? fused_add_tiles<Store::kU8, true>(vectors)
                              : fused_add_tiles<Store::kU8, false>(vectors);
    }
    return add.q_unsigned ? fused_add_tiles<Store::kI8, true>(vectors)
                          : fused_add_tiles<Store::kI8, false>(vectors);
}

}  // namespace HWY_NAMESPACE

namespace gemm {
const FusedFunction* fused_add_functions(const Epilogue& epilogue,
                                         Store store,
                                         std::size_t vectors) {
    // Other tiles of the same result approximate the elu: bytes must not depend on the tile.
    const bool takes = epilogue.add && !epilogue.add->elu_table;
    return takes ? HWY_NAMESPACE::find_fused_add(*epilogue.add, store, vectors) : nullptr;
}
}  // namespace gemm

}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // HWY_AVX3
