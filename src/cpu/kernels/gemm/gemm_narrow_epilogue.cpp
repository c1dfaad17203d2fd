// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From a tile of accumulators to dst by any list of operations, for every instruction set: what
// gemm_vnni_epilogue.cpp does with masks and wide vectors. Four vectors stay in registers while all
// operations are applied to them: without a branch between them where the list is a frequent one.
#include <algorithm>
#include <cmath>
#include <utility>

#include "cpu/kernels/gemm/gemm_narrow_results.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_narrow_epilogue.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/gemm/gemm_narrow_operations-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

using gemm::Store;

// The accumulators of a group, from `row` of the tile on, with bias and scale, each rounded; or
// floats that an activation left.
template <std::size_t Size>
HWY_INLINE Group<Size> load_group(const EpilogueCall& call, std::size_t row, bool floats) {
    const DF d;
    const std::int32_t* tile = call.tile + row * kLanes;
    Group<Size> g;
    if (floats) {
        for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
            g.v[i] = hn::Load(d, reinterpret_cast<const float*>(tile) + kVector * i);
        });
        return g;
    }
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
        g.v[i] = hn::ConvertTo(d, hn::Load(DI(), tile + kVector * i));
    });
    if (call.sums != nullptr) {  // what the zero points of the weights take away
        for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
            const float* of_sum = call.epilogue->of_sum.data() + call.panel->channel;
            g.v[i] = fused_mul_add(d, hn::Set(d, call.sums[row + i / kVectors]),
                                   hn::Load(d, of_sum + kVector * (i % kVectors)), g.v[i]);
        });
    }
    with_two(g, call.epilogue->bias.data() + call.panel->channel,
             call.epilogue->scale.data() + call.panel->channel,
             [](VF x, VF bias, VF scale)
                 FUSEQ_HWY_LAMBDA { return hn::Mul(hn::Add(x, bias), scale); });
    return g;
}

HWY_INLINE Place place_of(const EpilogueCall& call, std::size_t row) {
    return {.pixel = call.pixel + row,
            .rows = std::min(kGroupRows, call.rows - row),
            .channel = call.panel->channel,
            .channels = call.panel->channels,
            .pitch = call.channels};
}

// Bounds that are integers, as quantizations have them: then rounding may come after the clip. There
// an addition of 1.5 * 2^23 leaves the integer nearest, half to even, and additions have a unit that
// products have not.
constexpr float kLargest = 0x1p22f;
constexpr float kRounds = 0x1.8p23f;

bool has_integer_bounds(const PackedOp& op) {
    const auto integers = [](const AlignedVector<float>& list) {
        return std::all_of(list.begin(), list.end(), [](float v) {
            return std::abs(v) <= kLargest && std::nearbyint(v) == v;
        });
    };
    return integers(op.a) && integers(op.b);
}

template <GemmOp::Kind Kind, std::size_t Size>
HWY_INLINE void apply_listed(const PackedOp& op,
                             const EpilogueCall& call,
                             const Place& at,
                             Group<Size>& g) {
    if constexpr (Kind != GemmOp::Kind::kRoundClip) {
        return apply<true>(Kind, op, call, at, g);
    }
    const VF rounds = hn::Set(DF(), kRounds);
    with_two(g, op.a.data() + at.channel, op.b.data() + at.channel,
             [&](VF x, VF low, VF high) FUSEQ_HWY_LAMBDA {
                 const VF bounded = hn::Min(hn::Max(x, low), high);
                 return hn::Sub(hn::Add(bounded, rounds), rounds);
             });
}

// Of a list of operations that is known at compile time.
template <class T, bool Clamp, std::size_t Size, GemmOp::Kind... Kinds>
HWY_INLINE void finish_group(const EpilogueCall& call, std::size_t row) {
    const Place at = place_of(call, row);
    Group<Size> g = load_group<Size>(call, row, false);
    [[maybe_unused]] const PackedOp* op = call.epilogue->ops.data();
    (apply_listed<Kinds>(*op++, call, at, g), ...);
    store_group<T, true, Clamp>(g, at, call.args->dst);
}

template <class T, bool Clamp, GemmOp::Kind... Kinds>
void finish_list(const EpilogueCall& call) {
    std::size_t row = 0;
    // A half group is one row of 256-bit vectors.
    const std::size_t odd = kGroupRows == 2 ? call.rows % 2 : 0;
    for (; row < call.rows - odd; row += kGroupRows) {
        finish_group<T, Clamp, kGroup, Kinds...>(call, row);
    }
    if (odd != 0) {
        finish_group<T, Clamp, kGroup / 2, Kinds...>(call, row);
    }
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

using Function = gemm::EpilogueFunction;

template <class T, bool Clamp, GemmOp::Kind... Kinds>
Function try_list(const gemm::Epilogue& e) {
    std::size_t i = 0;
    const bool same = e.ops.size() == sizeof...(Kinds) && ((e.ops[i++].kind == Kinds) && ...) &&
                      std::all_of(e.ops.begin(), e.ops.end(), [](const PackedOp& op) {
                          return runs_by_group(op) &&
                                 (op.kind != GemmOp::Kind::kRoundClip || has_integer_bounds(op));
                      });
    return same ? &finish_list<T, Clamp, Kinds...> : nullptr;
}

// Lists that plans of quantized networks have: a relu that the store implies, a leaky relu, a
// residual input of the same or of another scale, quantization by channel, a gelu.
template <class T, bool Clamp>
Function find_list(const gemm::Epilogue& e) {
    using enum GemmOp::Kind;
    const Function lists[] = {try_list<T, Clamp>(e),
                              try_list<T, Clamp, kScale>(e),
                              try_list<T, Clamp, kShift>(e),
                              try_list<T, Clamp, kLinear>(e),
                              try_list<T, Clamp, kAffine>(e),
                              try_list<T, Clamp, kMax>(e),
                              try_list<T, Clamp, kMax, kScale>(e),
                              try_list<T, Clamp, kMax, kLinear>(e),
                              try_list<T, Clamp, kMax, kAffine>(e),
                              try_list<T, Clamp, kPrelu>(e),
                              try_list<T, Clamp, kPrelu, kShift>(e),
                              try_list<T, Clamp, kPrelu, kLinear>(e),
                              try_list<T, Clamp, kPrelu, kAffine>(e),
                              try_list<T, Clamp, kClip, kScale>(e),
                              try_list<T, Clamp, kEltwise>(e),
                              try_list<T, Clamp, kSum>(e),
                              try_list<T, Clamp, kSum, kScale>(e),
                              try_list<T, Clamp, kRoundClip, kAffine, kSum>(e),
                              try_list<T, Clamp, kRoundClip, kScale, kSum, kLinear>(e),
                              try_list<T, Clamp, kRoundClip, kScale, kSum, kAffine>(e),
                              try_list<T, Clamp, kRoundClip, kScale, kLinear, kSum, kScale>(e),
                              try_list<T, Clamp, kRoundClip, kScale, kAffine, kSum, kScale>(e)};
    const auto* found =
        std::find_if(std::begin(lists), std::end(lists), [](Function f) { return f != nullptr; });
    return found == std::end(lists) ? nullptr : *found;
}

template <class T>
Function select_for(const gemm::Epilogue& e, bool whole_panel) {
    if (!whole_panel) {
        return &finish_tile<T, false>;
    }
    const Function list =
        e.clamp && sizeof(T) == 1 ? find_list<T, sizeof(T) == 1>(e) : find_list<T, false>(e);
    return list != nullptr ? list : &finish_tile<T, true>;
}

Function narrow_epilogue(const gemm::Epilogue& e, Store store, bool whole_panel) {
    switch (store) {
        case Store::kU8: return select_for<std::uint8_t>(e, whole_panel);
        case Store::kI8: return select_for<std::int8_t>(e, whole_panel);
        default: return select_for<float>(e, whole_panel);
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

EpilogueFunction narrow_epilogue(const Epilogue& epilogue, Store store, bool whole_panel) {
    return HWY_DYNAMIC_DISPATCH(narrow_epilogue)(epilogue, store, whole_panel);
}

void finish_narrow_results(const EpilogueCall& call, const NarrowResults& results) {
    HWY_DYNAMIC_DISPATCH(finish_narrow_results)(call, results);
}

}  // namespace gemm
}  // namespace fuseq::kernels
#endif
