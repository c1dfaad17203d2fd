// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles in registers for the frequent lists of operations; the results are those of the
// micro-kernel and the epilogue.
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_vnni_fused.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// Once a target: its include guard is a toggle.
#include "cpu/kernels/gemm/gemm_vnni_fixed-inl.h"
#include "cpu/kernels/gemm/gemm_vnni_fused-inl.h"
#include "cpu/kernels/gemm/gemm_vnni_quad-inl.h"

#if HWY_TARGET == HWY_AVX3

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

// Four accumulators to dst. Constants are read again for each quad: the accumulators that wait
// leave no registers for them.
template <Store To, Fixed... F>
struct ByOperations {
    template <std::size_t Vectors>
    static HWY_INLINE void quad(const __m512i (&acc)[kQuad],
                                const EpilogueCall& call,
                                const Place& at) {
        quad<Vectors>(acc, call, at, std::index_sequence_for<Loaded<F>...>{});
    }
    template <std::size_t Vectors, std::size_t... I>
    static HWY_INLINE void quad(const __m512i (&acc)[kQuad],
                                const EpilogueCall& call,
                                const Place& at,
                                std::index_sequence<I...>) {
        const gemm::Epilogue* e = call.epilogue;
        asm volatile("" : "+r"(e));
        Quad q = scaled_quad<Vectors>(acc, *e, at.channel);
        (apply<Vectors, true>(load<F, Vectors>(e->ops[I], call), at, q), ...);
        store_quad<To, Vectors, true>(q, at, call.args->dst, false);
    }
};

template <Store To, Fixed... F>
const FusedFunction* try_fused(const gemm::Epilogue& e, std::size_t vectors) {
    if (!matches<F...>(e)) {
        return nullptr;
    }
    using Finish = ByOperations<To, F...>;
    return vectors == 1 ? FusedTile<Finish, 1>::functions() : FusedTile<Finish, 2>::functions();
}

template <class... Lists>
const FusedFunction* first_of(Lists... lists) {
    const FusedFunction* found = nullptr;
    ((found = found == nullptr ? lists : found), ...);
    return found;
}

const FusedFunction* find_fused(const gemm::Epilogue& e, Store store, std::size_t vectors) {
    using enum Fixed;
    switch (store) {
        case Store::kU8:
            return first_of(
                try_fused<Store::kU8>(e, vectors),
                try_fused<Store::kU8, kPrelu, kShift>(e, vectors),
                try_fused<Store::kU8, kU8>(e, vectors), try_fused<Store::kU8, kI8>(e, vectors),
                try_fused<Store::kU8, kRoundClip, kAffine, kU8>(e, vectors),
                try_fused<Store::kU8, kRoundClip, kAffine, kI8>(e, vectors),
                try_fused<Store::kU8, kRoundClip, kScale, kLinear, kU8, kScale>(e, vectors));
        case Store::kI8:
            return first_of(
                try_fused<Store::kI8>(e, vectors), try_fused<Store::kI8, kI8>(e, vectors),
                try_fused<Store::kI8, kMax, kAffine>(e, vectors),
                try_fused<Store::kI8, kRoundClip, kScale, kLinear, kI8, kScale>(e, vectors));
        default: return nullptr;
    }
}

}  // namespace HWY_NAMESPACE

namespace gemm {
const FusedFunction* fused_functions(const Epilogue& epilogue, Store store, std::size_t vectors) {
    // A branch for sums of windows would cost all others too much.
    const bool simple = !epilogue.clamp && epilogue.of_sum.empty();
    if (!simple) {
        return nullptr;
    }
    const FusedFunction* with_add = fused_add_functions(epilogue, store, vectors);
    return with_add != nullptr ? with_add : HWY_NAMESPACE::find_fused(epilogue, store, vectors);
}
}  // namespace gemm

}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // HWY_AVX3
