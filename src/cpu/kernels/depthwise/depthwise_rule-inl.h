// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The forms of rule_form.hpp in the depthwise kernels for any target: the zero point of kReal and
// kMirrored is added to integers of 16 bits, two vectors at once. To be included once a target (the
// usual toggle of Highway's -inl.h files).
#if defined(FUSEQ_KERNELS_DEPTHWISE_RULE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_DEPTHWISE_RULE_INL_H_
#undef FUSEQ_KERNELS_DEPTHWISE_RULE_INL_H_
#else
#define FUSEQ_KERNELS_DEPTHWISE_RULE_INL_H_
#endif

#include <cstddef>
#include <type_traits>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/common/rule_value-inl.h"
#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels::depthwise {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE fuseq::kernels::HWY_NAMESPACE::RuleLists lists_of(const Block& block) {
    return {.scale = block.scale, .bias = block.bias, .rest = block.slope, .below = block.below};
}

// What is rounded to the integers to which the zero point, if it is apart, is added.
constexpr bool has_zero_apart(RuleForm form) {
    return form == RuleForm::kReal || form == RuleForm::kMirrored;
}
template <RuleForm F, class D, class V = hn::Vec<D> >
HWY_INLINE V
value_before_zero(D d, const fuseq::kernels::HWY_NAMESPACE::RuleLists& lists, std::size_t c, V x) {
    if constexpr (F == RuleForm::kReal) {
        return hn::Mul(x, hn::Load(d, lists.scale + c));
    } else if constexpr (F == RuleForm::kMirrored) {
        const V bias = hn::Load(d, lists.bias + c);
        const V begin = hn::IfNegativeThenElse(x, hn::Neg(bias), bias);  // Neg: once for all pixels
        return fuseq::kernels::HWY_NAMESPACE::fused_mul_add(d, x, hn::Load(d, lists.scale + c),
                                                            begin);
    } else {
        return fuseq::kernels::HWY_NAMESPACE::rule_value<F>(d, lists, c, x);
    }
}

// Calls body with the form as a constant. kOneFloor is native code.
template <class Body>
HWY_INLINE void with_rule(RuleForm form, const Body& body) {
    switch (form) {
        case RuleForm::kMirrored:
            return body(std::integral_constant<RuleForm, RuleForm::kMirrored>{});
        default: return fuseq::kernels::HWY_NAMESPACE::with_form(form, body);
    }
}

// With the zero point, as floats: the value where bounds come after it.
template <class D, class V = hn::Vec<D> >
HWY_INLINE V value_of_rule(D d, const Epilogue& e, const Block& block, std::size_t at, V x) {
    V v = x;
    with_rule(*e.rule, [&](auto form) FUSEQ_HWY_LAMBDA {
        v = value_before_zero<form()>(d, lists_of(block), at, x);
        if constexpr (has_zero_apart(form())) {
            const V integer = form() == RuleForm::kReal ? hn::Round(v) : hn::Trunc(v);
            v = hn::Add(integer, hn::Set(d, static_cast<float>(e.zero_point)));
        }
    });
    return v;
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels::depthwise
HWY_AFTER_NAMESPACE();

#endif  // toggle
