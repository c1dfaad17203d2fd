// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles whose accumulators go through the epilogue in their registers, without the buffer: worth
// most where little depth is added up for a value. For the frequent lists of operations, numbers of
// rows and whole panels only; the results are those of the micro-kernel and the epilogue.
#include <algorithm>
#include <array>

#include "cpu/kernels/gemm_vnni_micro-inl.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm_vnni_fused.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// Once a target: its include guard is a toggle.
#include "cpu/kernels/gemm_vnni_fixed-inl.h"
#include "cpu/kernels/gemm_vnni_quad-inl.h"

#if HWY_TARGET == HWY_AVX3

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

using gemm::FusedFunction;
using gemm::MicroCall;

// Four accumulators to dst. Constants are read again for each quad: the accumulators that wait
// leave no registers for them.
template <Store To, std::size_t Vectors, Fixed... F, std::size_t... I>
HWY_INLINE void finish_quad(const __m512i (&acc)[kQuad],
                            const EpilogueCall& call,
                            const Place& at,
                            std::index_sequence<I...>) {
    const gemm::Epilogue* e = call.epilogue;
    asm volatile("" : "+r"(e));
    const Constant bias = load_constant<Vectors>(e->bias.data() + at.channel);
    const Constant scale = load_constant<Vectors>(e->scale.data() + at.channel);
    Quad q;
    for_quad([&](auto i) FUSEQ_HWY_LAMBDA {
        constexpr std::size_t kVector = decltype(i)::value % Vectors;
        const VF x{_mm512_cvtepi32_ps(acc[i])};
        q.v[i] = hn::Mul(hn::Add(x, bias.v[kVector]), scale.v[kVector]);
    });
    (apply<Vectors, true>(load<F, Vectors>(e->ops[I], call), at, q), ...);
    store_quad<To, Vectors, true>(q, at, call.args->dst, false);
}

// What has the micro-kernel in it.
FUSEQ_BEGIN_VNNI

template <Store To, std::size_t Vectors, Fixed... F>
struct FusedTile {
    // Quad number Q of a tile.
    template <std::size_t Rows, std::size_t Q>
    static FUSEQ_INLINE void finish_one(const Registers<__m512i, Rows * Vectors>& acc,
                                        const EpilogueCall& finish) {
        constexpr std::size_t kFirst = Q * kQuad;
        // The last one in place of those that do not exist. Constants: an index that is known later
        // keeps all accumulators in memory.
        constexpr std::size_t kLast = Rows * Vectors - 1;
        constexpr std::size_t kPlaces[kQuad] = {kFirst, std::min(kFirst + 1, kLast),
                                                std::min(kFirst + 2, kLast),
                                                std::min(kFirst + 3, kLast)};
        const __m512i four[kQuad] = {acc.v[std::integral_constant<std::size_t, kPlaces[0]>::value],
                                     acc.v[std::integral_constant<std::size_t, kPlaces[1]>::value],
                                     acc.v[std::integral_constant<std::size_t, kPlaces[2]>::value],
                                     acc.v[std::integral_constant<std::size_t, kPlaces[3]>::value]};
        const Place at{.pixel = finish.pixel + kFirst / Vectors,
                       .channel = finish.panel->channel,
                       .rows = std::min(kQuad / Vectors, Rows - kFirst / Vectors),
                       .channels = finish.channels,
                       .mask = {}};
        finish_quad<To, Vectors, F...>(four, finish, at, std::index_sequence_for<Loaded<F>...>{});
    }

    template <std::size_t Rows, std::size_t... Q>
    static FUSEQ_INLINE void finish_all(const Registers<__m512i, Rows * Vectors>& acc,
                                        const EpilogueCall& finish,
                                        std::index_sequence<Q...>) {
        (finish_one<Rows, Q>(acc, finish), ...);
    }

    template <std::size_t Rows>
    static void run(const MicroCall& call, const EpilogueCall& finish) {
        Registers<__m512i, Rows * Vectors> acc;
        gemm::accumulate<Rows, Vectors>(call, acc);
        finish_all<Rows>(acc, finish,
                         std::make_index_sequence<(Rows * Vectors + kQuad - 1) / kQuad>{});
    }

    // By number of rows less 1.
    static const FusedFunction* functions() {
        static constexpr auto kFunctions = [] {
            std::array<FusedFunction, gemm::kMostRows[Vectors]> list{};
            list[6] = &run<7>;
            list[11] = &run<12>;
            list[12] = &run<13>;
            list[13] = &run<14>;
            if constexpr (Vectors == 1) {
                list[25] = &run<26>;
                list[26] = &run<27>;
                list[27] = &run<28>;
            }
            return list;
        }();
        return kFunctions.data();
    }
};

FUSEQ_END_VNNI

template <Store To, Fixed... F>
const FusedFunction* try_fused(const gemm::Epilogue& e, std::size_t vectors) {
    if (!matches<F...>(e)) {
        return nullptr;
    }
    return vectors == 1 ? FusedTile<To, 1, F...>::functions() : FusedTile<To, 2, F...>::functions();
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
                try_fused<Store::kI8, kRoundClip, kScale, kLinear, kI8, kScale>(e, vectors));
        default: return nullptr;
    }
}

}  // namespace HWY_NAMESPACE

namespace gemm {
const FusedFunction* fused_functions(const Epilogue& epilogue, Store store, std::size_t vectors) {
    // A branch for sums of windows would cost all others too much.
    const bool simple = !epilogue.clamp && epilogue.of_sum.empty();
    return simple ? HWY_NAMESPACE::find_fused(epilogue, store, vectors) : nullptr;
}
}  // namespace gemm

}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // HWY_AVX3
