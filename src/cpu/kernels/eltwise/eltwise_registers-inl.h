// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations of a chain on values that stay in registers. For eltwise_kernel.cpp; include after
// hwy/highway.h, once a target.
#if defined(FUSEQ_KERNELS_ELTWISE_REGISTERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_ELTWISE_REGISTERS_INL_H_
#undef FUSEQ_KERNELS_ELTWISE_REGISTERS_INL_H_
#else
#define FUSEQ_KERNELS_ELTWISE_REGISTERS_INL_H_
#endif

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/eltwise/activation_math-inl.h"
#include "cpu/kernels/eltwise/eltwise-inl.h"
#include "cpu/kernels/eltwise/eltwise_program.hpp"
#include "cpu/kernels/eltwise/eltwise_tile-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

// Where a constant of the current tile begins; stepping over the tile or not.
struct Constant {
    const float* data;
    bool vector;
};

// Calls body with a pointer to the element `at` of the tensor.
template <class Body>
HWY_INLINE void with_bytes_or_floats(ElementType type,
                                     const void* data,
                                     std::size_t at,
                                     const Body& body) {
    switch (type) {
        case ElementType::u8: return body(static_cast<const std::uint8_t*>(data) + at);
        case ElementType::i8: return body(static_cast<const std::int8_t*>(data) + at);
        default: return body(static_cast<const float*>(data) + at);
    }
}
template <class Body>
HWY_INLINE void with_elements(ElementType type,
                              const void* data,
                              std::size_t at,
                              const Body& body) {
    if (type == ElementType::i32) {
        return body(static_cast<const std::int32_t*>(data) + at);
    }
    with_bytes_or_floats(type, data, at, body);
}

// Whether an operation is done by apply_simple_ops().
bool is_simple(const ProgramOp& op) {
    return op.is_coarse_elu ||
           (op.kind != ProgramOp::Kind::kEltwise && op.kind != ProgramOp::Kind::kBinary);
}

struct SimpleOp {
    ProgramOp::Kind kind;
    Constant a;
    Constant b;
    // Of kBinary: its element that belongs to the first one of the stretch.
    const post_ops::Binary* binary = nullptr;
    const void* operand = nullptr;
};

template <std::size_t N, class F>
HWY_INLINE void with_two(VF (&x)[N], const SimpleOp& op, std::size_t i, F&& f) {
    const DF d;
    const std::size_t lanes = hn::Lanes(d);
    const VF a = hn::Set(d, *op.a.data);
    const VF b = hn::Set(d, *op.b.data);
    if (!op.a.vector && !op.b.vector) {
        HWY_UNROLL(8)
        for (std::size_t v = 0; v < N; ++v) {
            x[v] = f(x[v], a, b);
        }
        return;
    }
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < N; ++v) {
        const std::size_t at = i + v * lanes;
        x[v] = f(x[v], op.a.vector ? hn::LoadU(d, op.a.data + at) : a,
                 op.b.vector ? hn::LoadU(d, op.b.data + at) : b);
    }
}

template <std::size_t N, class F>
HWY_INLINE void with_one(VF (&x)[N], const SimpleOp& op, std::size_t i, F&& f) {
    const DF d;
    const std::size_t lanes = hn::Lanes(d);
    if (!op.a.vector) {
        const VF a = hn::Set(d, *op.a.data);
        HWY_UNROLL(8)
        for (std::size_t v = 0; v < N; ++v) {
            x[v] = f(x[v], a);
        }
        return;
    }
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < N; ++v) {
        x[v] = f(x[v], hn::LoadU(d, op.a.data + i + v * lanes));
    }
}

// With a second tensor whose elements lie one after the other, one for each element of the stretch.
template <std::size_t N>
HWY_INLINE void with_source(VF (&x)[N], const SimpleOp& op, std::size_t i) {
    const DF d;
    const VF zero_point = hn::Set(d, op.binary->zero_point);
    const VF scale = hn::Set(d, op.binary->scale);
    VF t[N];
    with_elements(op.binary->type, op.operand, i, [&](const auto* from) FUSEQ_HWY_LAMBDA {
        HWY_UNROLL(8)
        for (std::size_t v = 0; v < N; ++v) {
            t[v] = load_floats(d, from + v * hn::Lanes(d));
        }
    });
    if (op.binary->zero_point != 0.0f) {
        HWY_UNROLL(8)
        for (std::size_t v = 0; v < N; ++v) {
            t[v] = hn::Sub(t[v], zero_point);
        }
    }
    if (op.binary->scale != 1.0f) {
        HWY_UNROLL(8)
        for (std::size_t v = 0; v < N; ++v) {
            t[v] = hn::Mul(t[v], scale);
        }
    }
    const auto combine = [&](auto&& f) FUSEQ_HWY_LAMBDA {
        HWY_UNROLL(8)
        for (std::size_t v = 0; v < N; ++v) {
            x[v] = f(x[v], t[v]);
        }
    };
    with_binary(d, op.binary->kind, combine);
}

template <std::size_t N>
HWY_INLINE void apply(const SimpleOp& op, std::size_t i, VF (&x)[N]) {
    switch (op.kind) {
        case ProgramOp::Kind::kBinary: return with_source(x, op, i);
        case ProgramOp::Kind::kAffine:
            return with_two(x, op, i, [](VF y, VF scale, VF shift) HWY_ATTR {
                return hn::Add(hn::Mul(y, scale), shift);
            });
        case ProgramOp::Kind::kScale:
            return with_one(x, op, i, [](VF y, VF v) HWY_ATTR { return hn::Mul(y, v); });
        case ProgramOp::Kind::kShift:
            return with_one(x, op, i, [](VF y, VF v) HWY_ATTR { return hn::Add(y, v); });
        case ProgramOp::Kind::kClip:
            return with_two(x, op, i, [](VF y, VF low, VF high) HWY_ATTR {
                return hn::Min(hn::Max(y, low), high);
            });
        case ProgramOp::Kind::kRoundClip:
            return with_two(x, op, i, [](VF y, VF low, VF high) HWY_ATTR {
                return hn::Min(hn::Max(hn::Round(y), low), high);
            });
        case ProgramOp::Kind::kPrelu:
            return with_one(x, op, i, [](VF y, VF slope) HWY_ATTR {
                return hn::IfThenElse(hn::Gt(y, hn::Zero(DF())), y, hn::Mul(slope, y));
            });
        case ProgramOp::Kind::kEltwise:  // is_coarse_elu
            return with_two(x, op, i, [](VF y, VF alpha, VF scale) HWY_ATTR {
                return hn::Mul(scale, coarse_elu(DF(), y, alpha));
            });
        default:  // kRound: chains make no other
            HWY_UNROLL(8)
            for (std::size_t v = 0; v < N; ++v) {
                x[v] = hn::Round(x[v]);
            }
    }
}

template <std::size_t N>
HWY_INLINE void apply_to_block(std::span<const SimpleOp> ops,
                               std::size_t i,
                               float* HWY_RESTRICT tile) {
    const DF d;
    const std::size_t lanes = hn::Lanes(d);
    VF x[N];
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < N; ++v) {
        x[v] = hn::Load(d, tile + i + v * lanes);
    }
    for (const SimpleOp& op : ops) {
        apply<N>(op, i, x);
    }
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < N; ++v) {
        hn::Store(x[v], d, tile + i + v * lanes);
    }
}

// Neighbouring operations on values that stay in registers.
void apply_simple_ops(std::span<const SimpleOp> ops, float* HWY_RESTRICT tile, std::size_t count) {
    constexpr std::size_t kVectors = 8;
    const DF d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + kVectors * lanes <= count; i += kVectors * lanes) {
        apply_to_block<kVectors>(ops, i, tile);
    }
    for (; i < count; i += lanes) {
        apply_to_block<1>(ops, i, tile);
    }
}

// Four vectors, rounded half to even, saturated, as store_floats() does it. `stream`: floats past
// the caches, to where cache lines begin.
template <class T>
HWY_INLINE void store_block(const VF* x, T* to, bool stream) {
    const DF d;
    if constexpr (std::is_same_v<T, float>) {
        if (stream) {
            HWY_UNROLL(4)
            for (std::size_t v = 0; v < 4; ++v) {
                hn::Stream(x[v], d, to + v * hn::Lanes(d));
            }
            return;
        }
    }
    if constexpr (sizeof(T) == 1) {
        const VF low = hn::Set(d, static_cast<float>(std::numeric_limits<T>::min()));
        store_four(d, hn::Max(x[0], low), hn::Max(x[1], low), hn::Max(x[2], low),
                   hn::Max(x[3], low), to);
    } else {
        HWY_UNROLL(4)
        for (std::size_t v = 0; v < 4; ++v) {
            store_floats(d, x[v], to + v * hn::Lanes(d));
        }
    }
}

// Elements that run_simple() takes at once.
inline constexpr std::size_t kSimpleVectors = 4;
inline constexpr std::size_t kSimpleBlock = kSimpleVectors * hn::MaxLanes(DF());

template <std::size_t N, class Src, class Dst>
HWY_INLINE void run_block(
    std::span<const SimpleOp> ops, std::size_t i, const Src* src, Dst* dst, bool stream) {
    const DF d;
    const std::size_t lanes = hn::Lanes(d);
    VF x[N];
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < N; ++v) {
        x[v] = load_floats(d, src + i + v * lanes);
    }
    for (const SimpleOp& op : ops) {
        apply<N>(op, i, x);
    }
    HWY_UNROLL(2)
    for (std::size_t v = 0; v < N; v += kSimpleVectors) {
        store_block(x + v, dst + i + v * lanes, stream);
    }
}

// From src to dst without a buffer in between; with second tensors whole blocks only.
template <class Src, class Dst>
void run_simple(
    std::span<const SimpleOp> ops, const Src* src, Dst* dst, std::size_t count, bool stream) {
    constexpr std::size_t kVectors = kSimpleVectors;
    const DF d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + 2 * kVectors * lanes <= count; i += 2 * kVectors * lanes) {
        run_block<2 * kVectors>(ops, i, src, dst, stream);
    }
    for (; i + kVectors * lanes <= count; i += kVectors * lanes) {
        run_block<kVectors>(ops, i, src, dst, stream);
    }
    HWY_ALIGN_MAX float rest[kVectors * hn::MaxLanes(d)];
    if (i < count) {
        load_tile(src + i, count - i, rest);
        for (std::size_t done = 0; i + done < count; done += lanes) {
            VF x[1] = {hn::Load(d, rest + done)};
            for (const SimpleOp& op : ops) {
                apply<1>(op, i + done, x);
            }
            hn::Store(x[0], d, rest + done);
        }
        store_tile(rest, count - i, dst + i);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
