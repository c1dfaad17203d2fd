// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles in registers for the frequent lists of operations; the results are those of the
// micro-kernel and the epilogue.
#include "cpu/kernels/gemm/data_product_pack.hpp"
#include "cpu/kernels/gemm/first_of.hpp"
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
    static HWY_INLINE void quad(const __m512i (&acc)[kQuad],
                                const EpilogueCall& call,
                                const Place& at) {
        quad(acc, call, at, std::index_sequence_for<Loaded<F>...>{});
    }
    template <std::size_t... I>
    static HWY_INLINE void quad(const __m512i (&acc)[kQuad],
                                const EpilogueCall& call,
                                const Place& at,
                                std::index_sequence<I...>) {
        const gemm::Epilogue* e = call.epilogue;
        asm volatile("" : "+r"(e));
        Quad q = scaled_quad(acc, *e, at.channel);
        (apply<kFusedVectors, true>(load<F, kFusedVectors>(e->ops[I], call), at, q), ...);
        store_quad<To, kFusedVectors, true>(q, at, call.args->dst, false);
    }
};

template <Store To, Fixed... F>
const FusedFunction* try_fused(const gemm::Epilogue& e) {
    return matches<F...>(e) ? FusedTile<ByOperations<To, F...>>::functions() : nullptr;
}

const FusedFunction* find_fused(const gemm::Epilogue& e, Store store) {
    using enum Fixed;
    switch (store) {
        case Store::kU8:
            return gemm::first_of(
                try_fused<Store::kU8>(e), try_fused<Store::kU8, kPrelu, kShift>(e),
                try_fused<Store::kU8, kU8>(e), try_fused<Store::kU8, kI8>(e),
                try_fused<Store::kU8, kRoundClip, kAffine, kU8>(e),
                try_fused<Store::kU8, kRoundClip, kAffine, kI8>(e),
                try_fused<Store::kU8, kRoundClip, kScale, kLinear, kU8, kScale>(e));
        case Store::kI8:
            return gemm::first_of(
                try_fused<Store::kI8>(e), try_fused<Store::kI8, kI8>(e),
                try_fused<Store::kI8, kMax, kAffine>(e),
                try_fused<Store::kI8, kRoundClip, kScale, kLinear, kI8, kScale>(e));
        default: return nullptr;
    }
}

const FusedFunction* find_fused_floats(const gemm::Epilogue& e) {
    return try_fused<Store::kF32>(e);
}

}  // namespace HWY_NAMESPACE

namespace gemm {
const FusedFunction* fused_float_functions(const Epilogue& epilogue) {
    return epilogue.of_sum.empty() ? HWY_NAMESPACE::find_fused_floats(epilogue) : nullptr;
}

const FusedFunction* fused_functions(const Epilogue& epilogue, Store store) {
    // A branch for sums of windows would cost all others too much.
    if (!epilogue.is_simple()) {
        return nullptr;
    }
    const FusedFunction* with_add = fused_add_functions(epilogue, store);
    return with_add != nullptr ? with_add : HWY_NAMESPACE::find_fused(epilogue, store);
}
}  // namespace gemm

}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // HWY_AVX3
