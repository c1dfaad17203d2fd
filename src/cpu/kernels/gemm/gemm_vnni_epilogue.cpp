// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From a tile of accumulators to dst, by any list of operations. Four vectors at a time, of one to
// four pixels, stay in registers while all operations are applied to them, and leave as one vector
// of bytes.
//
// A Highway file for the sake of eltwise-inl.h; only AVX-512's pass has anything in it.
#include <algorithm>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_vnni_epilogue.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// Once a target: its include guard is a toggle.
#include "cpu/kernels/eltwise/eltwise-inl.h"
#include "cpu/kernels/gemm/gemm_vnni_quad-inl.h"

#if HWY_TARGET == HWY_AVX3

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

template <std::size_t Vectors, class F>
HWY_INLINE void with_one(Quad& q, const float* a, F&& f) {
    const Constant first = load_constant<Vectors>(a);
    over_quad<Vectors>(q, [&](VF x, std::size_t n) FUSEQ_HWY_LAMBDA { return f(x, first.v[n]); });
}

template <std::size_t Vectors, class F>
HWY_INLINE void with_two(Quad& q, const float* a, const float* b, F&& f) {
    const Constant first = load_constant<Vectors>(a);
    const Constant second = load_constant<Vectors>(b);
    over_quad<Vectors>(
        q, [&](VF x, std::size_t n) FUSEQ_HWY_LAMBDA { return f(x, first.v[n], second.v[n]); });
}

// A tile of floats, some vectors at a time: the latencies of a long function hide each other.
// What is beyond the last row is computed too, and nobody's.
template <class F>
HWY_INLINE void over_floats(float* tile, std::size_t vectors, F&& f) {
    const DF d;
    for (std::size_t i = 0; i < vectors; i += kQuad, tile += kQuad * kLanes) {
        Quad q;
        for_quad([&](auto n) FUSEQ_HWY_LAMBDA { q.v[n] = hn::Load(d, tile + n * kLanes); });
        for_quad([&](auto n) FUSEQ_HWY_LAMBDA { q.v[n] = f(q.v[n]); });
        for_quad([&](auto n) FUSEQ_HWY_LAMBDA { hn::Store(q.v[n], d, tile + n * kLanes); });
    }
}

void eltwise(const post_ops::Eltwise& op, float* tile, std::size_t vectors) {
    with_eltwise(DF(), op, [&](auto&& f) FUSEQ_HWY_LAMBDA { over_floats(tile, vectors, f); });
}

void quick_eltwise(const PackedOp& op, float* tile, std::size_t vectors) {
    const DF d;
    const VF alpha = hn::Set(d, op.eltwise.alpha);
    const auto use = [&](auto&& f) FUSEQ_HWY_LAMBDA {
        scaled(d, op.eltwise.scale, f,
               [&](auto&& g) FUSEQ_HWY_LAMBDA { over_floats(tile, vectors, g); });
    };
    switch (op.eltwise.kind) {
        case post_ops::EltwiseKind::kGeluErf:
        case post_ops::EltwiseKind::kGeluTanh: {
            const GeluVectors table(*op.gelu);  // with the scale in it
            return over_floats(tile, vectors,
                               [&](VF x) FUSEQ_HWY_LAMBDA { return quick_gelu(table, x); });
        }
        case post_ops::EltwiseKind::kElu:
            return use([&](VF x) FUSEQ_HWY_LAMBDA { return quick_elu(x, alpha); });
        case post_ops::EltwiseKind::kSigmoid:
            return use([](VF x) FUSEQ_HWY_LAMBDA { return quick_sigmoid(x); });
        case post_ops::EltwiseKind::kSwish:
            return use([&](VF x) FUSEQ_HWY_LAMBDA {
                return hn::Mul(x, quick_sigmoid(hn::Mul(alpha, x)));
            });
        case post_ops::EltwiseKind::kTanh:  // 2 * sigmoid(2 x) - 1
            return use([&](VF x) FUSEQ_HWY_LAMBDA {
                const VF s = quick_sigmoid(hn::Add(x, x));
                return hn::Sub(hn::Add(s, s), hn::Set(d, 1.0f));
            });
        case post_ops::EltwiseKind::kMish:  // see mish()
            return use([&](VF x) FUSEQ_HWY_LAMBDA {
                const VF two = hn::Set(d, 2.0f);
                const VF e = quick_exp(hn::Min(x, hn::Set(d, 20.0f)));
                const VF n = hn::Mul(e, hn::Add(e, two));
                return hn::Mul(x, hn::Mul(n, quick_reciprocal(hn::Add(n, two))));
            });
        default: return eltwise(op.eltwise, tile, vectors);
    }
}

template <std::size_t Vectors, bool Whole, class F>
HWY_INLINE void with_tensor(
    Quad& q, const post_ops::Binary& op, const void* tensor, const Place& at, F&& f) {
    Quad t;
    switch (op.type) {
        case ElementType::u8: t = load_quad<std::uint8_t, Vectors, Whole>(at, tensor); break;
        case ElementType::i8: t = load_quad<std::int8_t, Vectors, Whole>(at, tensor); break;
        default: t = load_quad<float, Vectors, Whole>(at, tensor); break;
    }
    for_quad([&](auto i) FUSEQ_HWY_LAMBDA { q.v[i] = f(q.v[i], t.v[i]); });
}

template <std::size_t Vectors, bool Whole>
HWY_INLINE void binary(Quad& q, const post_ops::Binary& op, const void* tensor, const Place& at) {
    const DF d;
    const VF zero_point = hn::Set(d, op.zero_point);
    const VF scale = hn::Set(d, op.scale);
    const auto combine = [&](auto&& f) FUSEQ_HWY_LAMBDA {
        with_tensor<Vectors, Whole>(q, op, tensor, at, [&](VF x, VF t) FUSEQ_HWY_LAMBDA {
            return f(x, hn::Mul(hn::Sub(t, zero_point), scale));
        });
    };
    with_binary(d, op.kind, combine);
}

// ---- loops ------------------------------------------------------------------------------------

template <std::size_t Vectors, bool Whole>
HWY_INLINE void apply(const PackedOp& op, const EpilogueCall& call, const Place& at, Quad& q) {
    const DF d;
    const float* a = op.a.data() + at.channel;
    const float* b = op.b.data() + at.channel;
    using Kind = GemmOp::Kind;
    switch (op.kind) {
        case Kind::kLinear:
            return with_two<Vectors>(q, a, b, [](VF x, VF by, VF shift) FUSEQ_HWY_LAMBDA {
                return hn::MulAdd(x, by, shift);
            });
        case Kind::kScale:
            return with_one<Vectors>(q, a,
                                     [](VF x, VF y) FUSEQ_HWY_LAMBDA { return hn::Mul(x, y); });
        case Kind::kShift:
            return with_one<Vectors>(q, a,
                                     [](VF x, VF y) FUSEQ_HWY_LAMBDA { return hn::Add(x, y); });
        case Kind::kRound:
            return over_quad<Vectors>(
                q, [](VF x, std::size_t) FUSEQ_HWY_LAMBDA { return hn::Round(x); });
        case Kind::kClip:
            return with_two<Vectors>(q, a, b, [](VF x, VF low, VF high) FUSEQ_HWY_LAMBDA {
                return hn::Min(hn::Max(x, low), high);
            });
        case Kind::kAffine:
            return with_two<Vectors>(q, a, b, [](VF x, VF by, VF shift) FUSEQ_HWY_LAMBDA {
                return hn::Add(hn::Mul(x, by), shift);
            });
        case Kind::kRoundClip:
            return with_two<Vectors>(q, a, b, [](VF x, VF low, VF high) FUSEQ_HWY_LAMBDA {
                return hn::Min(hn::Max(hn::Round(x), low), high);
            });
        case Kind::kPrelu:
            return with_one<Vectors>(q, a, [&](VF x, VF slope) FUSEQ_HWY_LAMBDA {
                return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(slope, x));
            });
        case Kind::kMax:
            return with_one<Vectors>(q, a,
                                     [](VF x, VF y) FUSEQ_HWY_LAMBDA { return hn::Max(x, y); });
        case Kind::kMin:
            return with_one<Vectors>(q, a,
                                     [](VF x, VF y) FUSEQ_HWY_LAMBDA { return hn::Min(x, y); });
        case Kind::kSum: {
            const VF scale = hn::Set(d, op.binary.scale);
            return with_tensor<Vectors, Whole>(
                q, op.binary, call.args->binary_sources[op.binary.input], at,
                [&](VF x, VF t) FUSEQ_HWY_LAMBDA { return hn::MulAdd(t, scale, x); });
        }
        case Kind::kBinary:
            return binary<Vectors, Whole>(q, op.binary, call.args->binary_sources[op.binary.input],
                                          at);
        case Kind::kEltwise: return;  // over the whole tile
    }
}

template <std::size_t Vectors>
HWY_INLINE Quad load_floats(const std::int32_t* tile) {
    Quad q;
    for_quad([&](auto i) FUSEQ_HWY_LAMBDA {
        q.v[i] = VF{_mm512_castsi512_ps(_mm512_load_si512(tile + kLanes * i))};
    });
    return q;
}

// An activation runs over the whole tile, in its buffer; what is between two of them, in registers.
template <Store To, std::size_t Vectors, bool Whole>
void finish_tile(const EpilogueCall& call) {
    const gemm::Epilogue& e = *call.epilogue;
    const Constant bias = load_constant<Vectors>(e.bias.data() + call.panel->channel);
    const Constant scale = load_constant<Vectors>(e.scale.data() + call.panel->channel);
    const PackedOp* first = e.ops.data();
    const PackedOp* const end = first + e.ops.size();
    for (bool floats = false;; floats = true) {
        const PackedOp* const activation = std::find_if(
            first, end, [](const PackedOp& op) { return op.kind == GemmOp::Kind::kEltwise; });
        over_tile<Vectors>(call, [&](std::int32_t* tile, const Place& at) FUSEQ_HWY_LAMBDA {
            Quad q = floats ? load_floats<Vectors>(tile)
                            : load_scaled<Vectors>(call, tile, at, bias, scale);
            for (const PackedOp* op = first; op != activation; ++op) {
                apply<Vectors, Whole>(*op, call, at, q);
            }
            if (activation == end) {
                store_quad<To, Vectors, Whole>(q, at, call.args->dst, e.clamp);
            } else {
                for_quad([&](auto i) FUSEQ_HWY_LAMBDA {
                    hn::Store(q.v[i], DF(), reinterpret_cast<float*>(tile) + kLanes * i);
                });
            }
        });
        if (activation == end) {
            return;
        }
        auto* const tile = reinterpret_cast<float*>(call.tile);
        const std::size_t vectors = call.rows * Vectors;
        activation->quick ? quick_eltwise(*activation, tile, vectors)
                          : eltwise(activation->eltwise, tile, vectors);
        first = activation + 1;
    }
}

template <Store To>
gemm::EpilogueFunction select(std::size_t vectors, bool whole_panel) {
    if (vectors == 1) {
        return whole_panel ? &finish_tile<To, 1, true> : &finish_tile<To, 1, false>;
    }
    return whole_panel ? &finish_tile<To, 2, true> : &finish_tile<To, 2, false>;
}

gemm::EpilogueFunction select_for(Store store, std::size_t vectors, bool whole_panel) {
    switch (store) {
        case Store::kU8: return select<Store::kU8>(vectors, whole_panel);
        case Store::kI8: return select<Store::kI8>(vectors, whole_panel);
        default: return select<Store::kF32>(vectors, whole_panel);
    }
}

}  // namespace HWY_NAMESPACE

namespace gemm {
EpilogueFunction general_epilogue(Store store, std::size_t vectors, bool whole_panel) {
    return HWY_NAMESPACE::select_for(store, vectors, whole_panel);
}
}  // namespace gemm

}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // HWY_AVX3
