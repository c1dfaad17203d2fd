// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The forms of rule_form.hpp on any target with fused multiply-adds: floats that become the integer
// when they are rounded. Floors are rounded down, in all of this and to integers (rounding_mode.hpp). To
// be included after hwy/highway.h, once a target (the usual toggle of Highway's -inl.h files).
#if defined(FUSEQ_KERNELS_RULE_VALUE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_RULE_VALUE_INL_H_
#undef FUSEQ_KERNELS_RULE_VALUE_INL_H_
#else
#define FUSEQ_KERNELS_RULE_VALUE_INL_H_
#endif

#include <cstddef>
#include <type_traits>

#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/common/rule_form.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

// One value a channel.
struct RuleLists {
    const float* scale = nullptr;
    const float* bias = nullptr;
    const float* rest = nullptr;
    const float* below = nullptr;
};

// Of sums x of the channels from `c` on.
template <RuleForm F, class D, class V = hn::Vec<D>>
HWY_INLINE V rule_value(D d, const RuleLists& lists, std::size_t c, V x) {
    const V scale = hn::Load(d, lists.scale + c);
    const V bias = hn::Load(d, lists.bias + c);
    if constexpr (F == RuleForm::kReal) {
        return hn::Add(hn::Round(hn::Mul(x, scale)), bias);
    } else if constexpr (F == RuleForm::kRealZeroFirst) {
        return hn::Add(hn::Mul(x, scale), bias);
    } else {
        V begin = bias;
        if constexpr (F == RuleForm::kTwoFloors) {
            begin = hn::IfNegativeThenElse(x, hn::Load(d, lists.below + c), bias);
        }
        const V low = fused_mul_add(d, x, hn::Load(d, lists.rest + c), begin);
        return fused_mul_add(d, x, scale, low);
    }
}

// Calls body with the form as a constant.
template <class Body>
HWY_INLINE void with_form(RuleForm form, const Body& body) {
    switch (form) {
        case RuleForm::kFloor: return body(std::integral_constant<RuleForm, RuleForm::kFloor>{});
        case RuleForm::kTwoFloors:
            return body(std::integral_constant<RuleForm, RuleForm::kTwoFloors>{});
        case RuleForm::kReal: return body(std::integral_constant<RuleForm, RuleForm::kReal>{});
        default: return body(std::integral_constant<RuleForm, RuleForm::kRealZeroFirst>{});
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
