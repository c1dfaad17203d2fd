// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The operations of an epilogue on a group of vectors. To be included after hwy/highway.h, once a
// target.
#if defined(FUSEQ_GEMM_NARROW_OPERATIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_GEMM_NARROW_OPERATIONS_INL_H_
#undef FUSEQ_GEMM_NARROW_OPERATIONS_INL_H_
#else
#define FUSEQ_GEMM_NARROW_OPERATIONS_INL_H_
#endif

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "hwy/highway.h"

#include "cpu/kernels/eltwise/eltwise-inl.h"
#include "cpu/kernels/gemm/gemm_narrow_group-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

using gemm::EpilogueCall;
using gemm::PackedOp;

template <bool Whole, std::size_t Size, class F>
HWY_INLINE void with_tensor(
    Group<Size>& g, const post_ops::Binary& op, const EpilogueCall& call, const Place& at, F&& f) {
    const void* tensor = call.args->binary_sources[op.input];
    Group<Size> t;
    switch (op.type) {
        case ElementType::u8: t = load_tensor<std::uint8_t, Whole, Size>(at, tensor); break;
        case ElementType::i8: t = load_tensor<std::int8_t, Whole, Size>(at, tensor); break;
        default: t = load_tensor<float, Whole, Size>(at, tensor); break;
    }
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA { g.v[i] = f(g.v[i], t.v[i]); });
}

template <bool Whole, std::size_t Size>
HWY_INLINE void binary(Group<Size>& g,
                       const post_ops::Binary& op,
                       const EpilogueCall& call,
                       const Place& at) {
    const DF d;
    const VF zero_point = hn::Set(d, op.zero_point);
    const VF scale = hn::Set(d, op.scale);
    const auto combine = [&](auto&& f) FUSEQ_HWY_LAMBDA {
        with_tensor<Whole>(g, op, call, at, [&](VF x, VF t) FUSEQ_HWY_LAMBDA {
            return f(x, hn::Mul(hn::Sub(t, zero_point), scale));
        });
    };
    with_binary(d, op.kind, combine);
}

// Coefficients of the intervals whose numbers are the last bits of `place`.
HWY_INLINE VF coefficients_at(const float* table, VF place) {
#if HWY_MAX_BYTES >= 64
    return VF{_mm512_permutexvar_ps(_mm512_castps_si512(place.raw), _mm512_load_ps(table))};
#elif HWY_MAX_BYTES == 32
    return VF{_mm256_permutevar8x32_ps(_mm256_load_ps(table), _mm256_castps_si256(place.raw))};
#else
    (void)table;
    return place;  // not called
#endif
}

HWY_INLINE VF short_gelu(const gemm::ShortGeluTable& table, VF x) {
    using gemm::ShortGeluTable;
    const DF d;
    const VF per_unit = hn::Set(d, ShortGeluTable::kPerUnit);
    // The last bits of so large a float are the number of the interval.
    const VF large = hn::Set(d, 0x1p23f);
    const VF t = hn::Min(hn::Abs(x), hn::Set(d, ShortGeluTable::kEnd));
    const VF place = fused_mul_add(d, t, per_unit, large);
    const VF u = fused_mul_add(d, t, per_unit, hn::Sub(large, place));
    VF v = coefficients_at(table.coefficients[ShortGeluTable::kDegree], place);
    for (std::size_t power = ShortGeluTable::kDegree; power-- > 0;) {
        v = fused_mul_add(d, v, u, coefficients_at(table.coefficients[power], place));
    }
    return fused_mul_add(d, hn::Max(x, hn::Zero(d)), hn::Set(d, table.scale), v);
}

// Whether an operation runs group by group, and not over the whole tile.
inline bool runs_by_group(const PackedOp& op) {
    return op.kind != GemmOp::Kind::kEltwise ||
           (kVector >= 8 &&
            (op.short_gelu != nullptr || (op.quick && has_coarse_eltwise(op.eltwise.kind))));
}

// An operation of one or two constants a channel, `a` and `b` from the first channel of the group
// on. `kind` is perhaps known at compile time.
template <std::size_t Size>
HWY_INLINE void apply_constants(GemmOp::Kind kind, const float* a, const float* b, Group<Size>& g) {
    const DF d;
    switch (kind) {
        case GemmOp::Kind::kScale:
            return with_one(g, a, [](VF x, VF y) FUSEQ_HWY_LAMBDA { return hn::Mul(x, y); });
        case GemmOp::Kind::kShift:
            return with_one(g, a, [](VF x, VF y) FUSEQ_HWY_LAMBDA { return hn::Add(x, y); });
        case GemmOp::Kind::kMax:
            return with_one(g, a, [](VF x, VF y) FUSEQ_HWY_LAMBDA { return hn::Max(x, y); });
        case GemmOp::Kind::kMin:
            return with_one(g, a, [](VF x, VF y) FUSEQ_HWY_LAMBDA { return hn::Min(x, y); });
        case GemmOp::Kind::kPrelu:
            return with_one(g, a, [&](VF x, VF slope) FUSEQ_HWY_LAMBDA {
                return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(slope, x));
            });
        case GemmOp::Kind::kRound:
            return over_group(g, [](VF x) FUSEQ_HWY_LAMBDA { return hn::Round(x); });
        case GemmOp::Kind::kLinear:
            return with_two(g, a, b, [&](VF x, VF by, VF shift) FUSEQ_HWY_LAMBDA {
                return fused_mul_add(d, x, by, shift);
            });
        case GemmOp::Kind::kAffine:
            return with_two(g, a, b, [](VF x, VF by, VF shift) FUSEQ_HWY_LAMBDA {
                return hn::Add(hn::Mul(x, by), shift);
            });
        case GemmOp::Kind::kClip:
            return with_two(g, a, b, [](VF x, VF low, VF high) FUSEQ_HWY_LAMBDA {
                return hn::Min(hn::Max(x, low), high);
            });
        default:  // kRoundClip
            return with_two(g, a, b, [](VF x, VF low, VF high) FUSEQ_HWY_LAMBDA {
                return hn::Min(hn::Max(hn::Round(x), low), high);
            });
    }
}

template <bool Whole, std::size_t Size>
HWY_INLINE void apply(GemmOp::Kind kind,
                      const PackedOp& op,
                      const EpilogueCall& call,
                      const Place& at,
                      Group<Size>& g) {
    const DF d;
    switch (kind) {
        case GemmOp::Kind::kEltwise:
            if (op.short_gelu != nullptr) {
                return over_group(
                    g, [&](VF x) FUSEQ_HWY_LAMBDA { return short_gelu(*op.short_gelu, x); });
            }
            return with_coarse_eltwise(d, op.eltwise,
                                       [&](auto&& f) FUSEQ_HWY_LAMBDA { over_group(g, f); });
        case GemmOp::Kind::kSum: {
            const VF scale = hn::Set(d, op.binary.scale);
            return with_tensor<Whole>(g, op.binary, call, at, [&](VF x, VF t) FUSEQ_HWY_LAMBDA {
                return fused_mul_add(d, t, scale, x);
            });
        }
        case GemmOp::Kind::kBinary: return binary<Whole>(g, op.binary, call, at);
        default:
            return apply_constants(kind, op.a.data() + at.channel, op.b.data() + at.channel, g);
    }
}

// An activation, over the whole tile in its buffer.
inline void eltwise(const post_ops::Eltwise& op, float* tile, std::size_t count) {
    const DF d;
    with_eltwise(d, op, [&](auto&& f) FUSEQ_HWY_LAMBDA {
        for (std::size_t i = 0; i < count; i += kVector) {
            hn::Store(f(hn::Load(d, tile + i)), d, tile + i);
        }
    });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif
