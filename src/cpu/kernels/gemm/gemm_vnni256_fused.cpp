// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The micro-kernel of gemm_vnni256.cpp and the list of operations after it in one function: the sums
// go from registers to dst, and the last products of a tile do not wait in memory. For the tiles of
// five and six rows, which most are, and the lists of layers of little depth.
#include "cpu/kernels/gemm/gemm_vnni256_fused.hpp"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_vnni256_fused.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni256-inl.h"
#include "cpu/kernels/gemm/first_of.hpp"
#include "cpu/kernels/gemm/gemm_narrow_list-inl.h"
#include "cpu/kernels/gemm/gemm_narrow_tile-inl.h"
#include "cpu/kernels/gemm/gemm_vnni256_requantizing_add-inl.h"
#include "cpu/machine/avx_vnni.hpp"

#if HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

using gemm::FusedFunction;
using gemm::MicroCall;

constexpr std::size_t kFiveRows = 5;
constexpr std::size_t kSixRows = 6;
constexpr std::size_t kMaxRows = 7;  // of the tiles of gemm_vnni256.cpp

// The vectors of a group, from number `First` of the sums on, as floats.
template <std::size_t First, std::size_t Size, std::size_t Count>
HWY_INLINE Group<Size> group_of(const narrow::Sums<Count>& sums) {
    Group<Size> g;
    for_group<Size>([&](auto i)
                        FUSEQ_HWY_LAMBDA { g.v[i] = hn::ConvertTo(DF(), sums.v[First + i]); });
    return g;
}

// As finish_list(), of sums without zero points of weights.
template <class T, std::size_t Count, GemmOp::Kind... Kinds>
HWY_INLINE void finish_sums(const narrow::Sums<Count * kVectors>& sums, const EpilogueCall& call) {
    const gemm::Epilogue& e = *call.epilogue;
    const std::size_t channel = call.panel->channel;
    const float* const bias = e.bias.data() + channel;
    const float* const scale = e.scale.data() + channel;
    const std::size_t pitch = call.channels;
    [[maybe_unused]] ListedOp ops[sizeof...(Kinds) + 1];
    for_group<sizeof...(Kinds)>([&](auto i) FUSEQ_HWY_LAMBDA { ops[i] = listed(e.ops[i], call); });
    T* const dst = static_cast<T*>(call.args->dst);
    const std::size_t first = call.pixel * pitch + channel;
    constexpr std::size_t kGroups = (Count + kGroupRows - 1) / kGroupRows;
    for_group<kGroups>([&](auto number) FUSEQ_HWY_LAMBDA {
        constexpr std::size_t kRow = decltype(number)::value * kGroupRows;
        constexpr std::size_t kCount = std::min(kGroupRows, Count - kRow);
        const Rows r{first + kRow * pitch, pitch, kCount};
        auto g = group_of<kRow * kVectors, kCount * kVectors>(sums);
        bias_and_scale(g, bias, scale);
        [[maybe_unused]] const ListedOp* op = ops;
        (apply_listed<Kinds>(*op++, r, g), ...);
        store_rows<false>(g, dst + r.at, pitch, kCount);
    });
}

template <class Product, class T, std::size_t Count, GemmOp::Kind... Kinds>
void fused_list(const MicroCall& call, const EpilogueCall& finish) {
    narrow::Sums<Count * kVectors> sums;
    narrow::sum_tile<Product, Count>(sums, call);
    finish_sums<T, Count, Kinds...>(sums, finish);
}

template <class Product, class T, GemmOp::Kind... Kinds>
const FusedFunction* try_fused(const gemm::Epilogue& e) {
    static constexpr auto kFunctions = [] {
        std::array<FusedFunction, kMaxRows> functions{};
        functions[kFiveRows - 1] = &fused_list<Product, T, kFiveRows, Kinds...>;
        functions[kSixRows - 1] = &fused_list<Product, T, kSixRows, Kinds...>;
        return functions;
    }();
    return is_list<Kinds...>(e) ? kFunctions.data() : nullptr;
}

// As finish_sums(), by the requantizing add of the epilogue.
template <class Product, class T, bool Unsigned, std::size_t Count>
HWY_INLINE void finish_add(const narrow::Sums<Count * kVectors>& sums, const EpilogueCall& call) {
    const gemm::Epilogue* e = call.epilogue;
    asm volatile("" : "+r"(e));
    const std::size_t channel = call.panel->channel;
    const float* const bias = e->bias.data() + channel;
    const float* const scale = e->scale.data() + channel;
    const std::size_t pitch = call.channels;
    const AddConstants k = constants_of(*e->add);
    const std::size_t first = call.pixel * pitch + channel;
    const auto* const residual =
        static_cast<const std::uint8_t*>(call.args->binary_sources[e->add->input]) + first;
    auto* const dst = static_cast<std::uint8_t*>(call.args->dst) + first;
    constexpr std::size_t kGroups = (Count + kGroupRows - 1) / kGroupRows;
    for_group<kGroups>([&](auto number) FUSEQ_HWY_LAMBDA {
        constexpr std::size_t kRow = decltype(number)::value * kGroupRows;
        constexpr std::size_t kSize = std::min(kGroupRows, Count - kRow) * kVectors;
        auto g = group_of<kRow * kVectors, kSize>(sums);
        bias_and_scale(g, bias, scale);
        const __m256i r = load_residual<kSize>(residual + kRow * pitch, pitch);
        const __m256i bytes = added_bytes<Product, T>(k, quantized<Unsigned>(g), r);
        store_halves<kSize>(bytes, dst + kRow * pitch, pitch);
    });
}

template <class Product, class T, bool Unsigned, std::size_t Count>
void fused_add(const MicroCall& call, const EpilogueCall& finish) {
    narrow::Sums<Count * kVectors> sums;
    narrow::sum_tile<Product, Count>(sums, call);
    finish_add<Product, T, Unsigned, Count>(sums, finish);
}

template <class Product, class T, bool Unsigned>
const FusedFunction* fused_adds() {
    static constexpr auto kFunctions = [] {
        std::array<FusedFunction, kMaxRows> functions{};
        functions[kFiveRows - 1] = &fused_add<Product, T, Unsigned, kFiveRows>;
        functions[kSixRows - 1] = &fused_add<Product, T, Unsigned, kSixRows>;
        return functions;
    }();
    return kFunctions.data();
}

template <class Product, class T>
const FusedFunction* find_fused_add(const gemm::Epilogue& e) {
    const bool takes = e.add && !e.add->elu_table && !e.add->below;
    return !takes              ? nullptr
           : e.add->q_unsigned ? fused_adds<Product, T, true>()
                               : fused_adds<Product, T, false>();
}

template <class Product, class T>
const FusedFunction* find_fused(const gemm::Epilogue& e) {
    using enum GemmOp::Kind;
    using P = Product;
    return gemm::first_of(find_fused_add<P, T>(e), try_fused<P, T>(e),
                          try_fused<P, T, kRoundClip, kAffine, kSum>(e),
                          try_fused<P, T, kRoundClip, kScale, kLinear, kSum, kScale>(e));
}

template <class Product>
const FusedFunction* select_fused(const gemm::Epilogue& e, gemm::Store store) {
    switch (store) {
        case gemm::Store::kU8: return find_fused<Product, std::uint8_t>(e);
        case gemm::Store::kI8: return find_fused<Product, std::int8_t>(e);
        default: return nullptr;
    }
}

}  // namespace

const FusedFunction* vnni256_fused(const gemm::Epilogue& e, gemm::Store store, bool vex) {
    return vex ? select_fused<Vex>(e, store) : select_fused<Evex>(e, store);
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace fuseq::kernels::gemm {

const FusedFunction* vnni256_fused_functions(const Epilogue& epilogue, Store store) {
#if (HWY_TARGETS & HWY_AVX2) != 0
    if (epilogue.is_simple()) {
        return N_AVX2::vnni256_fused(epilogue, store, has_avx_vnni());
    }
#endif
    return nullptr;
}

}  // namespace fuseq::kernels::gemm
#endif
