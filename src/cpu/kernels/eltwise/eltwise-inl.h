// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The choice among activations, one place for every kernel that has them: what it computes with
// vectors is the same function everywhere. Include after hwy/highway.h, once a target.
#if defined(FUSEQ_KERNELS_ELTWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_ELTWISE_INL_H_
#undef FUSEQ_KERNELS_ELTWISE_INL_H_
#else
#define FUSEQ_KERNELS_ELTWISE_INL_H_
#endif

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/post_ops/basic_ops.hpp"
#include "hwy/highway.h"

#include "cpu/kernels/eltwise/activation_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Calls apply(scale * f); a scale of 1 costs nothing. True.
template <class D, class F, class Apply>
HWY_INLINE bool scaled(D d, float scale, F&& f, Apply&& apply) {
    using V = hn::Vec<D>;
    if (scale == 1.0f) {
        apply(f);
    } else {
        const V by = hn::Set(d, scale);
        apply([&](V x) FUSEQ_HWY_LAMBDA { return hn::Mul(by, f(x)); });
    }
    return true;
}

// Calls body with the function of two vectors that `kind` is.
template <class D, class Body>
HWY_INLINE void with_binary(D /*d*/, post_ops::BinaryKind kind, const Body& body) {
    using V = hn::Vec<D>;
    switch (kind) {
        case post_ops::BinaryKind::kAdd:
            return body([](V x, V t) FUSEQ_HWY_LAMBDA { return hn::Add(x, t); });
        case post_ops::BinaryKind::kMul:
            return body([](V x, V t) FUSEQ_HWY_LAMBDA { return hn::Mul(x, t); });
        case post_ops::BinaryKind::kMax:
            return body([](V x, V t) FUSEQ_HWY_LAMBDA { return hn::Max(x, t); });
        case post_ops::BinaryKind::kMin:
            return body([](V x, V t) FUSEQ_HWY_LAMBDA { return hn::Min(x, t); });
    }
}

// min(max(x + 3, 0), 6) / 6
template <class D, class V = hn::Vec<D>>
HWY_INLINE V hsigmoid(D d, V x) {
    const V shifted = hn::Add(x, hn::Set(d, 3.0f));
    return hn::Mul(hn::Min(hn::Max(shifted, hn::Zero(d)), hn::Set(d, 6.0f)),
                   hn::Set(d, 1.0f / 6.0f));
}

// Functions made of simple arithmetic; see with_eltwise().
template <class D, class Apply>
HWY_INLINE bool with_simple_eltwise(D d, const post_ops::Eltwise& op, Apply&& apply) {
    using V = hn::Vec<D>;
    const V zero = hn::Zero(d);
    const V alpha = hn::Set(d, op.alpha);
    const auto use = [&](auto&& f) FUSEQ_HWY_LAMBDA { return scaled(d, op.scale, f, apply); };
    switch (op.kind) {
        case post_ops::EltwiseKind::kRelu:
            return use([&](V x) FUSEQ_HWY_LAMBDA {
                return hn::IfThenElse(hn::Gt(x, zero), x, hn::Mul(alpha, x));
            });
        case post_ops::EltwiseKind::kHswish:
            return use([&](V x) FUSEQ_HWY_LAMBDA { return hn::Mul(x, hsigmoid(d, x)); });
        case post_ops::EltwiseKind::kHsigmoid:
            return use([&](V x) FUSEQ_HWY_LAMBDA { return hsigmoid(d, x); });
        case post_ops::EltwiseKind::kHardSigmoid:
            return use([&](V x) FUSEQ_HWY_LAMBDA {
                const V line = hn::Add(hn::Mul(x, alpha), hn::Set(d, op.beta));
                return hn::Min(hn::Max(line, zero), hn::Set(d, 1.0f));
            });
        case post_ops::EltwiseKind::kAbs:
            return use([](V x) FUSEQ_HWY_LAMBDA { return hn::Abs(x); });
        case post_ops::EltwiseKind::kSqrt:
            return use([](V x) FUSEQ_HWY_LAMBDA { return hn::Sqrt(x); });
        case post_ops::EltwiseKind::kSquare:
            return use([](V x) FUSEQ_HWY_LAMBDA { return hn::Mul(x, x); });
        case post_ops::EltwiseKind::kSoftsign:
            return use([d](V x) FUSEQ_HWY_LAMBDA {
                return hn::Div(x, hn::Add(hn::Set(d, 1.0f), hn::Abs(x)));
            });
        default: return false;
    }
}

// Calls apply(f) with f the function of `op`, its scale included, from a vector to a vector. False,
// and nothing is called, for those that have none: kLog, kPower.
template <class D, class Apply>
HWY_INLINE bool with_eltwise(D d, const post_ops::Eltwise& op, Apply&& apply) {
    using V = hn::Vec<D>;
    const V alpha = hn::Set(d, op.alpha);
    const auto use = [&](auto&& f) FUSEQ_HWY_LAMBDA { return scaled(d, op.scale, f, apply); };
    switch (op.kind) {
        case post_ops::EltwiseKind::kTanh:
            return use([&](V x) FUSEQ_HWY_LAMBDA { return tanh(d, x); });
        case post_ops::EltwiseKind::kElu:
            return use([&](V x) FUSEQ_HWY_LAMBDA {
                const V below = hn::Mul(alpha, expm1_below_zero(d, hn::Min(x, hn::Zero(d))));
                return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, below);
            });
        case post_ops::EltwiseKind::kSigmoid:
            return use([&](V x) FUSEQ_HWY_LAMBDA { return sigmoid(d, x); });
        case post_ops::EltwiseKind::kSwish:
            return use([&](V x)
                           FUSEQ_HWY_LAMBDA { return hn::Mul(x, sigmoid(d, hn::Mul(alpha, x))); });
        case post_ops::EltwiseKind::kMish:
            return use([&](V x) FUSEQ_HWY_LAMBDA { return mish(d, x); });
        case post_ops::EltwiseKind::kSoftplus:
            return use([&](V x) FUSEQ_HWY_LAMBDA { return softplus(d, x); });
        case post_ops::EltwiseKind::kGeluErf:
            return use([&](V x) FUSEQ_HWY_LAMBDA { return gelu_erf(d, x); });
        case post_ops::EltwiseKind::kGeluTanh:
            return use([&](V x) FUSEQ_HWY_LAMBDA { return gelu_tanh(d, x); });
        case post_ops::EltwiseKind::kExp:
            return use([&](V x) FUSEQ_HWY_LAMBDA { return exp(d, x); });
        default: return with_simple_eltwise(d, op, apply);
    }
}

// The activations that have a form for results of which 8 bits remain.
inline bool has_coarse_eltwise(post_ops::EltwiseKind kind) {
    using enum post_ops::EltwiseKind;
    return kind == kElu || kind == kSigmoid || kind == kSwish || kind == kTanh || kind == kMish;
}

// As with_eltwise(), with that form.
template <class D, class Apply>
HWY_INLINE void with_coarse_eltwise(D d, const post_ops::Eltwise& op, Apply&& apply) {
    using V = hn::Vec<D>;
    const V alpha = hn::Set(d, op.alpha);
    const auto use = [&](auto&& f) FUSEQ_HWY_LAMBDA { scaled(d, op.scale, f, apply); };
    switch (op.kind) {
        case post_ops::EltwiseKind::kElu:
            return use([&](V x) FUSEQ_HWY_LAMBDA { return coarse_elu(d, x, alpha); });
        case post_ops::EltwiseKind::kSigmoid:
            return use([&](V x) FUSEQ_HWY_LAMBDA { return coarse_sigmoid(d, x); });
        case post_ops::EltwiseKind::kSwish:
            return use([&](V x) FUSEQ_HWY_LAMBDA {
                return hn::Mul(x, coarse_sigmoid(d, hn::Mul(alpha, x)));
            });
        case post_ops::EltwiseKind::kTanh:
            return use([&](V x) FUSEQ_HWY_LAMBDA { return coarse_tanh(d, x); });
        default: return use([&](V x) FUSEQ_HWY_LAMBDA { return coarse_mish(d, x); });
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
