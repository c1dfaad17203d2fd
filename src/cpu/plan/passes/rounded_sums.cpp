// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/rounded_sums.hpp"

#include "cpu/kernels/eltwise/requantize_sums.hpp"
#include "cpu/plan/passes/plan_uses.hpp"
#include "cpu/steps/capabilities.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::string_view kName = "rounded_sums";

void describe(const Plan& plan, StepInfo& info, const Step& removed) {
    const std::string floats = "-> f32";
    if (const std::size_t at = info.post_ops.rfind(floats); at != std::string::npos) {
        info.post_ops.erase(at);
    }
    info.post_ops += removed.sum_rounding()->rule() + " -> " + removed.info().dst_type;
    const auto bytes = static_cast<std::int64_t>(plan.tensors[removed.outputs()[0]].bytes());
    const auto element = static_cast<std::int64_t>(sizeof(float));
    info.bytes -= (element - 1) * bytes;
    info.dst_type = removed.info().dst_type;
    take_layers(info, removed.info());
}

bool round_sums_of(Plan& plan, std::size_t at, PlanPassContext& context) {
    Step& step = *plan.steps[at];
    RoundedSums* const product = step.rounded_sums();
    if (product == nullptr || !is_inner(plan, step.outputs()[0])) {
        return false;
    }
    const std::vector<std::size_t> users = users_after(plan, step.outputs()[0], at);
    if (users.size() != 1) {
        return false;
    }
    const Step& user = *plan.steps[users[0]];
    const auto rounding = user.sum_rounding();
    const TensorId dst = user.outputs()[0];
    // The bytes lie where the sums would: all rows, in the same order.
    const bool whole = rounding && plan.tensors[dst].bytes() * sizeof(float) ==
                                       plan.tensors[step.outputs()[0]].bytes();
    if (!whole || plan.root(dst) != dst || !product->takes_rounding(*rounding)) {
        return false;
    }
    describe(plan, step.info(), user);
    product->set_rounding(rounding, dst);
    context.did(kName, step,
                "rounds its sums by " + rounding->rule() +
                    (product->rounds_by_its_epilogue() ? ", as its scale and shift" : ""));
    remove_steps(plan, users);
    return true;
}

}  // namespace

bool rounded_sums(Plan& plan, PlanPassContext& context) {
    if (context.options().keep_intermediates) {
        return false;
    }
    bool changed = false;
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        changed = round_sums_of(plan, s, context) || changed;
    }
    return changed;
}

}  // namespace fuseq::cpu
