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
HWY_INLINE __m512i load_bytes(const void* tensor, const Place& at) {
    const auto* first =
        static_cast<const std::uint8_t*>(tensor) + at.pixel * at.channels + at.channel;
    const std::uint8_t* second = first + (at.rows > 1 ? at.channels : 0);
    return _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(first))),
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(second)), 1);
}

template <Store To, bool Unsigned>
struct ByRequantizingAdd {
    static HWY_INLINE void quad(const __m512i (&acc)[kQuad],
                                const EpilogueCall& call,
                                const Place& at) {
        const gemm::Epilogue* e = call.epilogue;
        asm volatile("" : "+r"(e));
        const Quad scaled = scaled_quad(acc, *e, at.channel);
        constexpr Store kQ = Unsigned ? Store::kU8 : Store::kI8;
        const __m512i q = to_bytes<kQ>(scaled, false);
        const __m512i r = load_bytes(call.args->binary_sources[e->add->input], at);
        const auto constants = gemm::constants_of(*e->add, Unsigned);
        store_bytes<kFusedVectors, true>(
            gemm::added_bytes<gemm::AddActivation::kNone>(constants, q, r, To == Store::kI8), at,
            call.args->dst);
    }
};

FUSEQ_END_VNNI

template <Store To>
const FusedFunction* fused_add_tiles(const gemm::RequantizingAdd& add) {
    return add.q_unsigned ? FusedTile<ByRequantizingAdd<To, true>>::functions()
                          : FusedTile<ByRequantizingAdd<To, false>>::functions();
}

const FusedFunction* find_fused_add(const gemm::RequantizingAdd& add, Store store) {
    return store == Store::kU8 ? fused_add_tiles<Store::kU8>(add)
                               : fused_add_tiles<Store::kI8>(add);
}

}  // namespace HWY_NAMESPACE

namespace gemm {
const FusedFunction* fused_add_functions(const Epilogue& epilogue, Store store) {
    // Other tiles of the same result approximate the elu: bytes must not depend on the tile.
    return epilogue.only_adds() ? HWY_NAMESPACE::find_fused_add(*epilogue.add, store) : nullptr;
}
}  // namespace gemm

}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // HWY_AVX3
