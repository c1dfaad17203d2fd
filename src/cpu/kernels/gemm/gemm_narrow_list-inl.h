// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Epilogues of lists of operations that are known at compile time. What a tile needs is read before
// its rows: after a store of bytes, which may alias all that is in memory, it would be read again.
// To be included after hwy/highway.h, once a target.
#if defined(FUSEQ_GEMM_NARROW_LIST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_GEMM_NARROW_LIST_INL_H_
#undef FUSEQ_GEMM_NARROW_LIST_INL_H_
#else
#define FUSEQ_GEMM_NARROW_LIST_INL_H_
#endif

#include <algorithm>
#include <cmath>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "hwy/highway.h"

#include "cpu/kernels/gemm/gemm_narrow_operations-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

// With bias and scale, each rounded.
template <std::size_t Size>
HWY_INLINE void bias_and_scale(Group<Size>& g, const float* bias, const float* scale) {
    with_two(g, bias, scale,
             [](VF x, VF b, VF s) FUSEQ_HWY_LAMBDA { return hn::Mul(hn::Add(x, b), s); });
}

// With what the zero points of the weights take away. `sums`: of the windows of its pixels.
template <std::size_t Size>
HWY_INLINE void add_windows(Group<Size>& g, const float* sums, const float* of_sum) {
    const DF d;
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
        g.v[i] = fused_mul_add(d, hn::Set(d, sums[i / kVectors]),
                               hn::Load(d, of_sum + kVector * (i % kVectors)), g.v[i]);
    });
}

// Sums of a tile, from its first channel on, with bias and scale, each rounded. `sums`: of the
// windows of its pixels, or null.
template <std::size_t Size>
HWY_INLINE Group<Size> load_sums(const std::int32_t* tile,
                                 const float* sums,
                                 const float* of_sum,
                                 const float* bias,
                                 const float* scale) {
    const DF d;
    Group<Size> g;
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
        g.v[i] = hn::ConvertTo(d, hn::Load(DI(), tile + kVector * i));
    });
    if (sums != nullptr) {
        add_windows(g, sums, of_sum);
    }
    bias_and_scale(g, bias, scale);
    return g;
}

// Bounds that are integers, as quantizations have them: then rounding may come after the clip. There
// an addition of 1.5 * 2^23 leaves the integer nearest, half to even, and additions have a unit that
// products have not.
constexpr float kLargest = 0x1p22f;
constexpr float kRounds = 0x1.8p23f;

inline bool has_integer_bounds(const PackedOp& op) {
    const auto integers = [](const AlignedVector<float>& list) {
        return std::all_of(list.begin(), list.end(), [](float v) {
            return std::abs(v) <= kLargest && std::nearbyint(v) == v;
        });
    };
    return integers(op.a) && integers(op.b);
}

// An operation of the list: constants from the first channel of the panel on.
struct ListedOp {
    const float* a = nullptr;
    const float* b = nullptr;
    const void* tensor = nullptr;
    ElementType type{};
    float scale = 0.0f;
    const gemm::ShortGeluTable* gelu = nullptr;  // or an elu
    float alpha = 0.0f;
};

// Of the activations, lists know gelu and elu.
inline bool is_listed_activation(const PackedOp& op) {
    return op.kind != GemmOp::Kind::kEltwise ||
           (runs_by_group(op) &&
            (op.short_gelu != nullptr || op.eltwise.kind == post_ops::EltwiseKind::kElu));
}

HWY_INLINE ListedOp listed(const PackedOp& op, const EpilogueCall& call) {
    ListedOp to;
    to.a = op.a.data() + call.panel->channel;
    to.b = op.b.data() + call.panel->channel;
    if (op.kind == GemmOp::Kind::kSum) {
        to.tensor = call.args->binary_sources[op.binary.input];
        to.type = op.binary.type;
        to.scale = op.binary.scale;
    }
    if (op.kind == GemmOp::Kind::kEltwise) {
        to.gelu = op.short_gelu.get();
        to.alpha = op.eltwise.alpha;
        to.scale = op.eltwise.scale;
    }
    return to;
}

template <GemmOp::Kind... Kinds>
bool is_list(const gemm::Epilogue& e) {
    std::size_t i = 0;
    return e.ops.size() == sizeof...(Kinds) && ((e.ops[i++].kind == Kinds) && ...) &&
           std::all_of(e.ops.begin(), e.ops.end(), [](const PackedOp& op) {
               return is_listed_activation(op) &&
                      (op.kind != GemmOp::Kind::kRoundClip || has_integer_bounds(op));
           });
}

// `rows` rows of dst; `at`: the place of the first one, in dst and in tensors of its size.
struct Rows {
    std::size_t at;
    std::size_t pitch;
    std::size_t rows;
};

template <std::size_t Size>
HWY_INLINE Group<Size> load_listed(const ListedOp& op, const Rows& r) {
    switch (op.type) {
        case ElementType::u8:
            return load_rows<Size>(static_cast<const std::uint8_t*>(op.tensor) + r.at, r.pitch,
                                   r.rows);
        case ElementType::i8:
            return load_rows<Size>(static_cast<const std::int8_t*>(op.tensor) + r.at, r.pitch,
                                   r.rows);
        default:
            return load_rows<Size>(static_cast<const float*>(op.tensor) + r.at, r.pitch, r.rows);
    }
}

template <GemmOp::Kind Kind, std::size_t Size>
HWY_INLINE void apply_listed(const ListedOp& op, const Rows& r, Group<Size>& g) {
    const DF d;
    if constexpr (Kind == GemmOp::Kind::kRoundClip) {
        const VF rounds = hn::Set(d, kRounds);
        with_two(g, op.a, op.b, [&](VF x, VF low, VF high) FUSEQ_HWY_LAMBDA {
            const VF bounded = hn::Min(hn::Max(x, low), high);
            return hn::Sub(hn::Add(bounded, rounds), rounds);
        });
    } else if constexpr (Kind == GemmOp::Kind::kSum) {
        const VF scale = hn::Set(d, op.scale);
        const Group<Size> t = load_listed<Size>(op, r);
        for_group<Size>([&](auto i)
                            FUSEQ_HWY_LAMBDA { g.v[i] = fused_mul_add(d, t.v[i], scale, g.v[i]); });
    } else if constexpr (Kind == GemmOp::Kind::kEltwise) {
        if (op.gelu != nullptr) {
            return over_group(g, [&](VF x) FUSEQ_HWY_LAMBDA { return short_gelu(*op.gelu, x); });
        }
        const VF alpha = hn::Set(d, op.alpha);
        const VF scale = hn::Set(d, op.scale);
        over_group(g,
                   [&](VF x) FUSEQ_HWY_LAMBDA { return hn::Mul(scale, coarse_elu(d, x, alpha)); });
    } else {
        apply_constants(Kind, op.a, op.b, g);
    }
}

// Whether half panels, which read no tensors, may have a list.
template <class T, GemmOp::Kind... Kinds>
constexpr bool takes_halves() {
    return sizeof(T) == 1 && ((Kinds != GemmOp::Kind::kSum) && ...);
}

// Values fit 32-bit integers.
template <class T, GemmOp::Kind... Kinds>
void finish_list(const EpilogueCall& call) {
    const gemm::Epilogue& e = *call.epilogue;
    const std::size_t channel = call.panel->channel;
    const float* const bias = e.bias.data() + channel;
    const float* const scale = e.scale.data() + channel;
    const float* const of_sum = call.sums == nullptr ? nullptr : e.of_sum.data() + channel;
    const std::size_t pitch = call.channels;
    const std::size_t rows = call.rows;
    const std::size_t channels = takes_halves<T, Kinds...>() ? call.panel->channels : kLanes;
    [[maybe_unused]] ListedOp ops[sizeof...(Kinds) + 1];
    for_group<sizeof...(Kinds)>([&](auto i) FUSEQ_HWY_LAMBDA { ops[i] = listed(e.ops[i], call); });
    T* const dst = static_cast<T*>(call.args->dst);
    const std::int32_t* tile = call.tile;
    const float* sums = call.sums;
    std::size_t at = call.pixel * pitch + channel;
    const auto finish_group = [&](auto size, std::size_t count) FUSEQ_HWY_LAMBDA {
        [[maybe_unused]] const Rows r{at, pitch, count};
        Group<size> g = load_sums<size>(tile, sums, of_sum, bias, scale);
        [[maybe_unused]] const ListedOp* op = ops;
        (apply_listed<Kinds>(*op++, r, g), ...);
        store_rows<false>(g, dst + at, pitch, count, channels);
    };
    std::size_t row = 0;
    for (; row + kGroupRows <= rows; row += kGroupRows) {
        finish_group(std::integral_constant<std::size_t, kGroup>{}, kGroupRows);
        tile += kGroup * kVector;
        sums = sums == nullptr ? nullptr : sums + kGroupRows;
        at += kGroupRows * pitch;
    }
    if (row == rows) {
        return;
    }
    if constexpr (kGroupRows == 2) {  // the half of a group is one row
        finish_group(std::integral_constant<std::size_t, kGroup / 2>{}, 1);
    } else {
        finish_group(std::integral_constant<std::size_t, kGroup>{}, rows - row);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif
