// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The rounding rule of a framework as the epilogue of a narrow kernel. To be included after
// hwy/highway.h, once a target.
#if defined(FUSEQ_GEMM_NARROW_RULE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_GEMM_NARROW_RULE_INL_H_
#undef FUSEQ_GEMM_NARROW_RULE_INL_H_
#else
#define FUSEQ_GEMM_NARROW_RULE_INL_H_
#endif

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "hwy/highway.h"

#include "cpu/kernels/common/rule_value-inl.h"
#include "cpu/kernels/gemm/gemm_narrow_group-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

// Of a panel, read before its rows are stored.
struct PanelRule {
    RuleLists lists;
    RuleForm form;
    bool clips;
    float low;
    float high;
};

HWY_INLINE PanelRule rule_of(const EpilogueCall& call) {
    const gemm::Epilogue& e = *call.epilogue;
    const std::size_t channel = call.panel->channel;
    return {.lists = {.scale = e.scale.data() + channel,
                      .bias = e.bias.data() + channel,
                      .rest = e.rule->rest.data() + channel,
                      .below = e.rule->below.data() + channel},
            .form = e.rule->form,
            .clips = e.rule->clips,
            .low = e.rule->low,
            .high = e.rule->high};
}

// From sums to what the store rounds.
template <std::size_t Size>
HWY_INLINE void apply_rule(const PanelRule& rule, Group<Size>& g) {
    const DF d;
    with_form(rule.form, [&](auto form) FUSEQ_HWY_LAMBDA {
        for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
            g.v[i] = rule_value<form()>(d, rule.lists, kVector * (i % kVectors), g.v[i]);
        });
    });
    if (rule.clips) {
        const VF low = hn::Set(d, rule.low);
        const VF high = hn::Set(d, rule.high);
        over_group(g, [&](VF v) FUSEQ_HWY_LAMBDA { return hn::Min(hn::Max(v, low), high); });
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif
