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
#include "cpu/kernels/gemm/gemm_narrow_rule-inl.h"
#include "cpu/kernels/gemm/gemm_narrow_tile-inl.h"
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

// Calls apply(group, rows) for the groups of a tile and stores them.
template <class T, std::size_t Count, class Apply>
HWY_INLINE void store_sums(const narrow::Sums<Count * kVectors>& sums,
                           const EpilogueCall& call,
                           const Apply& apply) {
    const std::size_t pitch = call.channels;
    T* const dst = static_cast<T*>(call.args->dst);
    const std::size_t first = call.pixel * pitch + call.panel->channel;
    constexpr std::size_t kGroups = (Count + kGroupRows - 1) / kGroupRows;
    for_group<kGroups>([&](auto number) FUSEQ_HWY_LAMBDA {
        constexpr std::size_t kRow = decltype(number)::value * kGroupRows;
        constexpr std::size_t kCount = std::min(kGroupRows, Count - kRow);
        const Rows r{first + kRow * pitch, pitch, kCount};
        auto g = group_of<kRow * kVectors, kCount * kVectors>(sums);
        apply(g, r);
        store_rows<false>(g, dst + r.at, pitch, kCount);
    });
}

// As finish_list(), of sums without zero points of weights.
template <class T, std::size_t Count, GemmOp::Kind... Kinds>
HWY_INLINE void finish_sums(const narrow::Sums<Count * kVectors>& sums, const EpilogueCall& call) {
    const gemm::Epilogue& e = *call.epilogue;
    const float* const bias = e.bias.data() + call.panel->channel;
    const float* const scale = e.scale.data() + call.panel->channel;
    [[maybe_unused]] ListedOp ops[sizeof...(Kinds) + 1];
    for_group<sizeof...(Kinds)>([&](auto i) FUSEQ_HWY_LAMBDA { ops[i] = listed(e.ops[i], call); });
    store_sums<T, Count>(sums, call, [&](auto& g, [[maybe_unused]] const Rows& r) FUSEQ_HWY_LAMBDA {
        bias_and_scale(g, bias, scale);
        [[maybe_unused]] const ListedOp* op = ops;
        (apply_listed<Kinds>(*op++, r, g), ...);
    });
}

template <class Product, class T, std::size_t Count, GemmOp::Kind... Kinds>
void fused_list(const MicroCall& call, const EpilogueCall& finish) {
    narrow::Sums<Count * kVectors> sums;
    narrow::sum_tile<Product, Count>(sums, call);
    finish_sums<T, Count, Kinds...>(sums, finish);
}

template <class Product, class T, std::size_t Count>
void fused_rule(const MicroCall& call, const EpilogueCall& finish) {
    narrow::Sums<Count * kVectors> sums;
    narrow::sum_tile<Product, Count>(sums, call);
    const PanelRule rule = rule_of(finish);
    store_sums<T, Count>(sums, finish,
                         [&](auto& g, const Rows&) FUSEQ_HWY_LAMBDA { apply_rule(rule, g); });
}

template <class Product, class T>
const FusedFunction* rule_functions() {
    static constexpr auto kFunctions = [] {
        std::array<FusedFunction, kMaxRows> functions{};
        functions[kFiveRows - 1] = &fused_rule<Product, T, kFiveRows>;
        functions[kSixRows - 1] = &fused_rule<Product, T, kSixRows>;
        return functions;
    }();
    return kFunctions.data();
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

template <class Product, class T>
const FusedFunction* find_fused(const gemm::Epilogue& e) {
    using enum GemmOp::Kind;
    using P = Product;
    if (e.rule) {
        return rule_functions<P, T>();
    }
    return gemm::first_of(try_fused<P, T>(e), try_fused<P, T, kRoundClip, kAffine, kSum>(e),
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
