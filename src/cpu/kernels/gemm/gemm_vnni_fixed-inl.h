// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations of an epilogue that are known at compile time. To be included after hwy/highway.h,
// once a target; empty for all but AVX-512.
#if defined(FUSEQ_KERNELS_GEMM_VNNI_FIXED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_GEMM_VNNI_FIXED_INL_H_
#undef FUSEQ_KERNELS_GEMM_VNNI_FIXED_INL_H_
#else
#define FUSEQ_KERNELS_GEMM_VNNI_FIXED_INL_H_
#endif

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "hwy/highway.h"

#include "cpu/kernels/gemm/gemm_vnni_quad-inl.h"

#if HWY_TARGET == HWY_AVX3

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

enum class Fixed {
    kLinear,
    kScale,
    kShift,
    kAffine,
    kClip,
    kRoundClip,
    kPrelu,
    kMax,
    kElu,   // quick
    kGelu,  // quick, of any form
    kU8,    // kSum of such a tensor
    kI8,
    kF32
};

// What the operation is here, if anything.
inline bool is(const PackedOp& op, Fixed fixed) {
    using Kind = GemmOp::Kind;
    const auto sums = [&](ElementType type) {
        return op.kind == Kind::kSum && op.binary.type == type;
    };
    switch (fixed) {
        case Fixed::kLinear: return op.kind == Kind::kLinear;
        case Fixed::kScale: return op.kind == Kind::kScale;
        case Fixed::kShift: return op.kind == Kind::kShift;
        case Fixed::kAffine: return op.kind == Kind::kAffine;
        case Fixed::kClip: return op.kind == Kind::kClip;
        case Fixed::kElu:
            return op.kind == Kind::kEltwise && op.quick &&
                   op.eltwise.kind == post_ops::EltwiseKind::kElu;
        case Fixed::kGelu: return op.kind == Kind::kEltwise && op.quick && op.gelu != nullptr;
        case Fixed::kRoundClip: return op.kind == Kind::kRoundClip;
        case Fixed::kPrelu: return op.kind == Kind::kPrelu;
        case Fixed::kMax: return op.kind == Kind::kMax;
        case Fixed::kU8: return sums(ElementType::u8);
        case Fixed::kI8: return sums(ElementType::i8);
        case Fixed::kF32: return sums(ElementType::f32);
    }
    return false;
}

// An operation with its constants.
template <Fixed F>
struct Loaded {
    Constant a;
    Constant b;
    const void* tensor = nullptr;
};

template <>
struct Loaded<Fixed::kGelu> {
    GeluVectors table;
};

constexpr bool is_sum(Fixed fixed) {
    return fixed == Fixed::kU8 || fixed == Fixed::kI8 || fixed == Fixed::kF32;
}
constexpr bool has_a(Fixed fixed) {
    return !is_sum(fixed) && fixed != Fixed::kElu;
}
constexpr bool has_b(Fixed fixed) {
    return fixed == Fixed::kLinear || fixed == Fixed::kAffine || fixed == Fixed::kClip ||
           fixed == Fixed::kRoundClip;
}

template <Fixed F, std::size_t Vectors>
HWY_INLINE Loaded<F> load(const PackedOp& op, const EpilogueCall& call) {
    const DF d;
    if constexpr (F == Fixed::kGelu) {
        return {GeluVectors(*op.gelu)};
    } else {
        Loaded<F> loaded;
        if constexpr (has_a(F)) {
            loaded.a = load_constant<Vectors>(op.a.data() + call.panel->channel);
        }
        if constexpr (has_b(F)) {
            loaded.b = load_constant<Vectors>(op.b.data() + call.panel->channel);
        }
        if constexpr (F == Fixed::kElu) {
            loaded.a.v[0] = hn::Set(d, op.eltwise.alpha);
            loaded.a.v[1] = hn::Set(d, op.eltwise.scale);
        }
        if constexpr (is_sum(F)) {
            loaded.a.v[0] = hn::Set(d, op.binary.scale);
            loaded.tensor = call.args->binary_sources[op.binary.input];
        }
        return loaded;
    }
}

template <class T, std::size_t Vectors, bool Whole, Fixed F>
HWY_INLINE void add_tensor(const Loaded<F>& op, const Place& at, Quad& q) {
    const Quad t = load_quad<T, Vectors, Whole>(at, op.tensor);
    for_quad([&](auto i) FUSEQ_HWY_LAMBDA { q.v[i] = hn::MulAdd(t.v[i], op.a.v[0], q.v[i]); });
}

template <std::size_t Vectors, bool Whole, Fixed F>
HWY_INLINE void apply(const Loaded<F>& op, const Place& at, Quad& q) {
    if constexpr (F == Fixed::kU8) {
        return add_tensor<std::uint8_t, Vectors, Whole>(op, at, q);
    } else if constexpr (F == Fixed::kI8) {
        return add_tensor<std::int8_t, Vectors, Whole>(op, at, q);
    } else if constexpr (F == Fixed::kF32) {
        return add_tensor<float, Vectors, Whole>(op, at, q);
    } else {
        over_quad<Vectors>(q, [&](VF x, std::size_t n) FUSEQ_HWY_LAMBDA {
            const DF d;
            if constexpr (F == Fixed::kLinear) {
                return hn::MulAdd(x, op.a.v[n], op.b.v[n]);
            } else if constexpr (F == Fixed::kScale) {
                return hn::Mul(x, op.a.v[n]);
            } else if constexpr (F == Fixed::kShift) {
                return hn::Add(x, op.a.v[n]);
            } else if constexpr (F == Fixed::kAffine) {
                return hn::Add(hn::Mul(x, op.a.v[n]), op.b.v[n]);
            } else if constexpr (F == Fixed::kElu) {
                return hn::Mul(op.a.v[1], quick_elu(x, op.a.v[0]));
            } else if constexpr (F == Fixed::kGelu) {
                return quick_gelu(op.table, x);
            } else if constexpr (F == Fixed::kClip) {
                return hn::Min(hn::Max(x, op.a.v[n]), op.b.v[n]);
            } else if constexpr (F == Fixed::kRoundClip) {
                return hn::Min(hn::Max(hn::Round(x), op.a.v[n]), op.b.v[n]);
            } else if constexpr (F == Fixed::kPrelu) {
                return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(op.a.v[n], x));
            } else {
                return hn::Max(x, op.a.v[n]);
            }
        });
    }
}

template <Fixed... F>
bool matches(const gemm::Epilogue& e) {
    std::size_t i = 0;
    return e.ops.size() == sizeof...(F) && (is(e.ops[i++], F) && ...);
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // HWY_AVX3
#endif  // toggle
