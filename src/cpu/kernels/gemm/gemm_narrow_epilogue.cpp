// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From a tile of accumulators to dst by any list of operations, for every instruction set: what
// gemm_vnni_epilogue.cpp does with masks and wide vectors. Four vectors stay in registers while all
// operations are applied to them: without a branch between them where the list is a frequent one.
#include <algorithm>
#include <cmath>
#include <utility>

#include "cpu/kernels/gemm/first_of.hpp"
#include "cpu/kernels/gemm/gemm_narrow_results.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_narrow_epilogue.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/gemm/gemm_narrow_list-inl.h"
#include "cpu/kernels/gemm/gemm_narrow_operations-inl.h"
#include "cpu/kernels/gemm/gemm_narrow_rule-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

using gemm::PanelFill;
using gemm::Store;

// The accumulators of a group, from `row` of the tile on, with bias and scale, each rounded; or
// floats that an activation left.
template <std::size_t Size>
HWY_INLINE Group<Size> load_group(const EpilogueCall& call, std::size_t row, bool floats) {
    const std::int32_t* tile = call.tile + row * kLanes;
    if (floats) {
        Group<Size> g;
        for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
            g.v[i] = hn::Load(DF(), reinterpret_cast<const float*>(tile) + kVector * i);
        });
        return g;
    }
    const gemm::Epilogue& e = *call.epilogue;
    const std::size_t channel = call.panel->channel;
    const bool has_sums = call.sums != nullptr;
    return load_sums<Size>(tile, has_sums ? call.sums + row : nullptr,
                           has_sums ? e.of_sum.data() + channel : nullptr, e.bias.data() + channel,
                           e.scale.data() + channel);
}

HWY_INLINE Place place_of(const EpilogueCall& call, std::size_t row) {
    return {.pixel = call.pixel + row,
            .rows = std::min(kGroupRows, call.rows - row),
            .channel = call.panel->channel,
            .channels = call.panel->channels,
            .pitch = call.channels};
}

// All operations of a tile; `store` takes its groups.
template <bool Whole, class F>
HWY_INLINE void run_operations(const EpilogueCall& call, F&& store) {
    const PackedOp* first = call.epilogue->ops.data();
    const PackedOp* const end = first + call.epilogue->ops.size();
    for (bool floats = false;; floats = true) {
        const PackedOp* const activation =
            std::find_if(first, end, [](const PackedOp& op) { return !runs_by_group(op); });
        for (std::size_t row = 0; row < call.rows; row += kGroupRows) {
            std::int32_t* tile = call.tile + row * kLanes;
            const Place at = place_of(call, row);
            Group<kGroup> g = load_group<kGroup>(call, row, floats);
            for (const PackedOp* op = first; op != activation; ++op) {
                apply<Whole>(op->kind, *op, call, at, g);
            }
            if (activation == end) {
                store(g, at);
            } else {
                for_group<kGroup>([&](auto i) FUSEQ_HWY_LAMBDA {
                    hn::Store(g.v[i], DF(), reinterpret_cast<float*>(tile) + kVector * i);
                });
            }
        }
        if (activation == end) {
            return;
        }
        eltwise(activation->eltwise, reinterpret_cast<float*>(call.tile), call.rows * kLanes);
        first = activation + 1;
    }
}

template <class T, bool Whole>
void finish_tile(const EpilogueCall& call) {
    run_operations<Whole>(call, [&](const Group<kGroup>& g, const Place& at) FUSEQ_HWY_LAMBDA {
        store_group<T, Whole, true>(g, at, call.args->dst);
    });
}

// Where a panel of the pixels is stored.
Place place_in(const gemm::NarrowResults& results, const Place& at) {
    if (results.row_width == 0) {
        return at;
    }
    const std::size_t panels = at.pitch / kLanes;
    const std::size_t row = at.pixel / results.row_width * panels + at.channel / kLanes;
    Place place = at;
    place.pixel = row * results.row_width + at.pixel % results.row_width;
    place.channel = 0;
    place.pitch = kLanes;
    return place;
}

template <bool Whole>
void finish_results(const EpilogueCall& call, const gemm::NarrowResults& results) {
    run_operations<Whole>(call, [&](const Group<kGroup>& g, const Place& at) FUSEQ_HWY_LAMBDA {
        const Place to = place_in(results, at);
        for (std::size_t i = 0; i < results.list.size(); ++i) {
            const gemm::NarrowResult& result = results.list[i];
            Group<kGroup> values = g;
            for (const PackedOp& op : result.ops) {
                apply<Whole>(op.kind, op, call, at, values);
            }
            void* const dst = call.args->results[i];
            switch (result.store) {
                case Store::kU8: store_group<std::uint8_t, Whole, true>(values, to, dst); break;
                case Store::kI8: store_group<std::int8_t, Whole, true>(values, to, dst); break;
                default: store_group<float, Whole, true>(values, to, dst); break;
            }
        }
    });
}

void finish_narrow_results(const EpilogueCall& call, const gemm::NarrowResults& results) {
    const bool whole = call.panel->channels == kLanes;
    whole ? finish_results<true>(call, results) : finish_results<false>(call, results);
}

// Bytes by a rule.
template <class T, bool Whole>
void finish_rule(const EpilogueCall& call) {
    const PanelRule rule = rule_of(call);
    for (std::size_t row = 0; row < call.rows; row += kGroupRows) {
        const std::int32_t* tile = call.tile + row * kLanes;
        Group<kGroup> g;
        for_group<kGroup>([&](auto i) FUSEQ_HWY_LAMBDA {
            g.v[i] = hn::ConvertTo(DF(), hn::Load(DI(), tile + kVector * i));
        });
        apply_rule(rule, g);
        store_group<T, Whole, false>(g, place_of(call, row), call.args->dst);
    }
}

using Function = gemm::EpilogueFunction;

template <class T, GemmOp::Kind... Kinds>
Function try_list(const gemm::Epilogue& e, PanelFill fill) {
    const bool suits = fill == PanelFill::kWhole || takes_halves<T, Kinds...>();
    return suits && is_list<Kinds...>(e) ? &finish_list<T, Kinds...> : nullptr;
}

// Lists that plans of quantized networks have: a relu that the store implies, a leaky relu, a
// residual input of the same or of another scale, quantization by channel, a gelu, an elu.
template <class T>
Function find_list(const gemm::Epilogue& e, PanelFill fill) {
    using enum GemmOp::Kind;
    return gemm::first_of(
        try_list<T>(e, fill), try_list<T, kScale>(e, fill), try_list<T, kShift>(e, fill),
        try_list<T, kLinear>(e, fill), try_list<T, kAffine>(e, fill), try_list<T, kMax>(e, fill),
        try_list<T, kMax, kScale>(e, fill), try_list<T, kMax, kLinear>(e, fill),
        try_list<T, kMax, kAffine>(e, fill), try_list<T, kPrelu>(e, fill),
        try_list<T, kPrelu, kShift>(e, fill), try_list<T, kPrelu, kLinear>(e, fill),
        try_list<T, kPrelu, kAffine>(e, fill), try_list<T, kClip, kScale>(e, fill),
        try_list<T, kEltwise>(e, fill), try_list<T, kEltwise, kShift>(e, fill),
        try_list<T, kEltwise, kAffine>(e, fill), try_list<T, kSum>(e, fill),
        try_list<T, kSum, kScale>(e, fill), try_list<T, kRoundClip, kAffine, kSum>(e, fill),
        try_list<T, kRoundClip, kScale, kSum, kLinear>(e, fill),
        try_list<T, kRoundClip, kScale, kSum, kAffine>(e, fill),
        try_list<T, kRoundClip, kScale, kLinear, kSum, kScale>(e, fill),
        try_list<T, kRoundClip, kScale, kAffine, kSum, kScale>(e, fill),
        try_list<T, kRoundClip, kAffine, kSum, kEltwise, kShift>(e, fill),
        try_list<T, kRoundClip, kScale, kLinear, kSum, kScale, kEltwise, kShift>(e, fill));
}

// SSE4 is not worth the code of the lists, nor are values beyond 32-bit integers.
template <class T>
Function select_for(const gemm::Epilogue& e, PanelFill fill) {
    const bool whole_panel = fill == PanelFill::kWhole;
    if (e.rule && sizeof(T) == 1) {
        return whole_panel ? &finish_rule<T, true> : &finish_rule<T, false>;
    }
    if constexpr (kVector >= 8) {
        const bool listed = fill != PanelFill::kPart && !(e.clamp && sizeof(T) == 1);
        const Function list = listed ? find_list<T>(e, fill) : nullptr;
        if (list != nullptr) {
            return list;
        }
    }
    return whole_panel ? &finish_tile<T, true> : &finish_tile<T, false>;
}

Function narrow_epilogue(const gemm::Epilogue& e, Store store, PanelFill fill) {
    switch (store) {
        case Store::kU8: return select_for<std::uint8_t>(e, fill);
        case Store::kI8: return select_for<std::int8_t>(e, fill);
        default: return select_for<float>(e, fill);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(narrow_epilogue);
HWY_EXPORT(finish_narrow_results);

namespace gemm {

EpilogueFunction narrow_epilogue(const Epilogue& epilogue, Store store, PanelFill fill) {
    return HWY_DYNAMIC_DISPATCH(narrow_epilogue)(epilogue, store, fill);
}

void finish_narrow_results(const EpilogueCall& call, const NarrowResults& results) {
    HWY_DYNAMIC_DISPATCH(finish_narrow_results)(call, results);
}

}  // namespace gemm
}  // namespace fuseq::kernels
#endif
