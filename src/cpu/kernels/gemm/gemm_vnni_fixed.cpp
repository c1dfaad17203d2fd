// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The epilogues of frequent lists of operations, known at compile time: no branches between them
// and constants in registers. The same arithmetic as the general one.
#include <algorithm>

#include "cpu/kernels/gemm/first_of.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_vnni_fixed.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// Once a target: its include guard is a toggle.
#include "cpu/kernels/gemm/gemm_vnni_fixed-inl.h"
#include "cpu/kernels/gemm/gemm_vnni_quad-inl.h"

#if HWY_TARGET == HWY_AVX3

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

template <Store To, std::size_t Vectors, bool Whole, Fixed... F>
struct FixedTile {
    // Floats of another tensor may have any value.
    static constexpr bool kClamps = ((F == Fixed::kF32) || ...);

    template <std::size_t... I>
    static HWY_INLINE void run(const EpilogueCall& call, std::index_sequence<I...>) {
        const gemm::Epilogue& e = *call.epilogue;
        const Constant bias = load_constant<Vectors>(e.bias.data() + call.panel->channel);
        const Constant scale = load_constant<Vectors>(e.scale.data() + call.panel->channel);
        void* dst = call.args->dst;
        [&](const auto... ops) FUSEQ_HWY_LAMBDA {
            over_tile<Vectors>(call, [&](std::int32_t* tile, const Place& at) FUSEQ_HWY_LAMBDA {
                Quad q = load_scaled<Vectors>(call, tile, at, bias, scale);
                (apply<Vectors, Whole>(ops, at, q), ...);
                store_quad<To, Vectors, Whole>(q, at, dst, kClamps);
            });
        }(load<F, Vectors>(e.ops[I], call)...);
    }
    static void finish(const EpilogueCall& call) {
        run(call, std::index_sequence_for<Loaded<F>...>{});
    }
};

// Parts of a convolution that are added up as floats, whose values nothing bounds, then a scale.
constexpr std::size_t kMaxParts = 8;

bool adds_parts(const gemm::Epilogue& e) {
    const std::size_t parts = e.ops.size() - 1;
    return !e.ops.empty() && parts >= 1 && parts <= kMaxParts && is(e.ops[parts], Fixed::kScale) &&
           std::all_of(e.ops.begin(), e.ops.end() - 1,
                       [](const PackedOp& op) { return is(op, Fixed::kF32); });
}

// Lists with such an operation clamp (FixedTile).
bool adds_floats(const gemm::Epilogue& e) {
    return std::any_of(e.ops.begin(), e.ops.end(),
                       [](const PackedOp& op) { return is(op, Fixed::kF32); });
}

template <Store To, std::size_t Vectors, bool Whole>
void finish_parts(const EpilogueCall& call) {
    const gemm::Epilogue& e = *call.epilogue;
    const std::size_t parts = e.ops.size() - 1;
    const Constant bias = load_constant<Vectors>(e.bias.data() + call.panel->channel);
    const Constant scale = load_constant<Vectors>(e.scale.data() + call.panel->channel);
    const Constant by = load_constant<Vectors>(e.ops[parts].a.data() + call.panel->channel);
    const void* tensors[kMaxParts];
    float scales[kMaxParts];
    for (std::size_t i = 0; i < parts; ++i) {
        tensors[i] = call.args->binary_sources[e.ops[i].binary.input];
        scales[i] = e.ops[i].binary.scale;
    }
    void* dst = call.args->dst;
    over_tile<Vectors>(call, [&](std::int32_t* tile, const Place& at) FUSEQ_HWY_LAMBDA {
        Quad q = load_scaled<Vectors>(call, tile, at, bias, scale);
        for (std::size_t i = 0; i < parts; ++i) {
            const Quad part = load_quad<float, Vectors, Whole>(at, tensors[i]);
            const VF factor = hn::Set(DF(), scales[i]);
            for_quad([&](auto n)
                         FUSEQ_HWY_LAMBDA { q.v[n] = hn::MulAdd(part.v[n], factor, q.v[n]); });
        }
        over_quad<Vectors>(
            q, [&](VF x, std::size_t n) FUSEQ_HWY_LAMBDA { return hn::Mul(x, by.v[n]); });
        store_quad<To, Vectors, Whole>(q, at, dst, true);
    });
}

struct PanelForm {
    std::size_t vectors;
    bool whole;
};

// With operations only for whole panels of two vectors: others are a panel a layer, or of few channels,
// and have no hundredth of the time of a network (docs/performance/log/variants.md).
template <Store To, Fixed... F>
gemm::EpilogueFunction try_list(const gemm::Epilogue& e, PanelForm panel) {
    if (!matches<F...>(e)) {
        return nullptr;
    }
    if (panel.vectors == 2 && panel.whole) {
        return &FixedTile<To, 2, true, F...>::finish;
    }
    if constexpr (sizeof...(F) == 0) {
        if (panel.vectors == 2) {
            return &FixedTile<To, 2, false>::finish;
        }
        return panel.whole ? &FixedTile<To, 1, true>::finish : &FixedTile<To, 1, false>::finish;
    }
    return nullptr;
}

// Lists that plans of quantized networks have: a relu that the store implies, a leaky relu, a
// residual input of the same or of another scale, per-channel quantization of a depthwise
// convolution that follows.
template <Store To>
gemm::EpilogueFunction find(const gemm::Epilogue& e, PanelForm panel) {
    using enum Fixed;
    return gemm::first_of(
        try_list<To>(e, panel), try_list<To, kMax>(e, panel), try_list<To, kPrelu>(e, panel),
        try_list<To, kPrelu, kShift>(e, panel), try_list<To, kShift>(e, panel),
        try_list<To, kU8>(e, panel), try_list<To, kI8>(e, panel), try_list<To, kF32>(e, panel),
        try_list<To, kF32, kScale>(e, panel), try_list<To, kF32, kScale, kMax, kShift>(e, panel),
        try_list<To, kClip, kScale>(e, panel), try_list<To, kRoundClip, kAffine, kU8>(e, panel),
        try_list<To, kRoundClip, kAffine, kI8>(e, panel),
        try_list<To, kRoundClip, kScale, kLinear, kU8, kScale>(e, panel),
        try_list<To, kRoundClip, kScale, kLinear, kI8, kScale>(e, panel));
}

template <Store To>
gemm::EpilogueFunction parts_function(PanelForm panel) {
    if (panel.vectors == 1) {
        return panel.whole ? &finish_parts<To, 1, true> : &finish_parts<To, 1, false>;
    }
    return panel.whole ? &finish_parts<To, 2, true> : &finish_parts<To, 2, false>;
}

// Of integers: quick activations, quantizations by channel, and two quantizations of which the
// second one is after a residual input.
template <Store To>
gemm::EpilogueFunction find_quick(const gemm::Epilogue& e, PanelForm panel) {
    using enum Fixed;
    return gemm::first_of(
        find<To>(e, panel), try_list<To, kMax, kAffine>(e, panel),
        try_list<To, kPrelu, kAffine>(e, panel), try_list<To, kF32, kPrelu, kAffine>(e, panel),
        try_list<To, kF32, kPrelu, kScale>(e, panel),
        try_list<To, kF32, kScale, kPrelu, kShift>(e, panel),
        try_list<To, kRoundClip, kAffine, kI8, kRoundClip, kAffine>(e, panel),
        try_list<To, kRoundClip, kScale, kLinear, kU8, kScale, kRoundClip, kAffine>(e, panel),
        try_list<To, kElu, kShift, kRoundClip, kScale, kAffine, kI8, kScale>(e, panel),
        try_list<To, kGelu>(e, panel), try_list<To, kElu, kAffine>(e, panel),
        try_list<To, kRoundClip, kAffine, kU8, kElu, kShift>(e, panel),
        try_list<To, kRoundClip, kScale, kLinear, kU8, kScale, kElu, kShift>(e, panel));
}

gemm::EpilogueFunction find(const gemm::Epilogue& e, Store store, PanelForm panel) {
    switch (store) {
        case Store::kU8: return find_quick<Store::kU8>(e, panel);
        case Store::kI8: return find_quick<Store::kI8>(e, panel);
        default: return find<Store::kF32>(e, panel);
    }
}

}  // namespace HWY_NAMESPACE

namespace gemm {
EpilogueFunction fixed_epilogue(const Epilogue& epilogue,
                                Store store,
                                std::size_t vectors,
                                bool whole_panel) {
    // Floats may have any value.
    const bool clamp = epilogue.clamp && store != Store::kF32;
    if (clamp && HWY_NAMESPACE::adds_parts(epilogue)) {
        const HWY_NAMESPACE::PanelForm panel{vectors, whole_panel};
        return store == Store::kU8 ? HWY_NAMESPACE::parts_function<Store::kU8>(panel)
                                   : HWY_NAMESPACE::parts_function<Store::kI8>(panel);
    }
    if (clamp && !HWY_NAMESPACE::adds_floats(epilogue)) {
        return nullptr;
    }
    return HWY_NAMESPACE::find(epilogue, store, {vectors, whole_panel});
}
}  // namespace gemm

}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // HWY_AVX3
