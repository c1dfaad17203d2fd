// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles whose epilogue works on the accumulators in registers, without the buffer in L1. The gain
// is largest in layers of little depth. For whole panels of two vectors and frequent numbers of rows:
// in no network have panels of one vector a hundredth of the time (docs/performance/log/variants.md).
// To be included after hwy/highway.h, once a target; empty for all but AVX-512.
#if defined(FUSEQ_KERNELS_GEMM_VNNI_FUSED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_GEMM_VNNI_FUSED_INL_H_
#undef FUSEQ_KERNELS_GEMM_VNNI_FUSED_INL_H_
#else
#define FUSEQ_KERNELS_GEMM_VNNI_FUSED_INL_H_
#endif

#include <algorithm>
#include <array>

#include "cpu/kernels/gemm/gemm_vnni_micro-inl.h"
#include "hwy/highway.h"

#include "cpu/kernels/gemm/gemm_vnni_quad-inl.h"

#if HWY_TARGET == HWY_AVX3

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

using gemm::FusedFunction;
using gemm::kFusedVectors;
using gemm::MicroCall;

// Four accumulators as floats, with bias and scale.
HWY_INLINE Quad scaled_quad(const __m512i (&acc)[kQuad],
                            const gemm::Epilogue& e,
                            std::size_t channel) {
    const Constant bias = load_constant<kFusedVectors>(e.bias.data() + channel);
    const Constant scale = load_constant<kFusedVectors>(e.scale.data() + channel);
    Quad q;
    for_quad([&](auto i) FUSEQ_HWY_LAMBDA {
        constexpr std::size_t kVector = decltype(i)::value % kFusedVectors;
        const VF x{_mm512_cvtepi32_ps(acc[i])};
        q.v[i] = hn::Mul(hn::Add(x, bias.v[kVector]), scale.v[kVector]);
    });
    return q;
}

// Instances contain the micro-kernel.
FUSEQ_BEGIN_VNNI

// Finish::quad(four, call, place): four accumulators to dst.
template <class Finish>
struct FusedTile {
    static constexpr std::size_t kVectors = kFusedVectors;

    // Quad number Q of a tile.
    template <std::size_t Rows, std::size_t Q>
    static FUSEQ_INLINE void finish_one(const Registers<__m512i, Rows * kVectors>& acc,
                                        const EpilogueCall& finish) {
        constexpr std::size_t kFirst = Q * kQuad;
        // The last accumulator stands for missing ones. Indices must be constants: others would put
        // all accumulators into memory.
        constexpr std::size_t kLast = Rows * kVectors - 1;
        constexpr std::size_t kPlaces[kQuad] = {kFirst, std::min(kFirst + 1, kLast),
                                                std::min(kFirst + 2, kLast),
                                                std::min(kFirst + 3, kLast)};
        const __m512i four[kQuad] = {acc.v[std::integral_constant<std::size_t, kPlaces[0]>::value],
                                     acc.v[std::integral_constant<std::size_t, kPlaces[1]>::value],
                                     acc.v[std::integral_constant<std::size_t, kPlaces[2]>::value],
                                     acc.v[std::integral_constant<std::size_t, kPlaces[3]>::value]};
        const Place at{.pixel = finish.pixel + kFirst / kVectors,
                       .channel = finish.panel->channel,
                       .rows = std::min(kQuad / kVectors, Rows - kFirst / kVectors),
                       .channels = finish.channels,
                       .mask = {}};
        Finish::quad(four, finish, at);
    }

    template <std::size_t Rows, std::size_t... Q>
    static FUSEQ_INLINE void finish_all(const Registers<__m512i, Rows * kVectors>& acc,
                                        const EpilogueCall& finish,
                                        std::index_sequence<Q...>) {
        (finish_one<Rows, Q>(acc, finish), ...);
    }

    template <std::size_t Rows>
    static void run(const MicroCall& call, const EpilogueCall& finish) {
        Registers<__m512i, Rows * kVectors> acc;
        gemm::accumulate<Rows, kVectors>(call, acc);
        finish_all<Rows>(acc, finish,
                         std::make_index_sequence<(Rows * kVectors + kQuad - 1) / kQuad>{});
    }

    // By number of rows less 1.
    static const FusedFunction* functions() {
        static constexpr auto kFunctions = [] {
            std::array<FusedFunction, gemm::kMaxRows[kVectors]> list{};
            list[6] = &run<7>;
            list[11] = &run<12>;
            list[12] = &run<13>;
            list[13] = &run<14>;
            return list;
        }();
        return kFunctions.data();
    }
};

FUSEQ_END_VNNI

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // HWY_AVX3
#endif  // toggle
