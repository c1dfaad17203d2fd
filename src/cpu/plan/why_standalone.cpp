// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/why_standalone.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

// The last step before `at` that writes the memory of a tensor.
std::optional<std::size_t> maker_of(const Plan& plan, TensorId id, std::size_t at) {
    const TensorId memory = plan.root(id);
    for (std::size_t s = at; s-- > 0;) {
        const auto& outputs = plan.steps[s]->outputs();
        if (std::any_of(outputs.begin(), outputs.end(),
                        [&](TensorId out) { return plan.root(out) == memory; })) {
            return s;
        }
    }
    return std::nullopt;
}

// Steps after `maker` that read what it wrote, before somebody writes there again.
std::size_t readers_of(const Plan& plan, TensorId id, std::size_t maker) {
    const TensorId memory = plan.root(id);
    const auto same = [&](TensorId other) { return plan.root(other) == memory; };
    std::size_t count = 0;
    for (std::size_t s = maker + 1; s < plan.steps.size(); ++s) {
        const Step& step = *plan.steps[s];
        count += std::any_of(step.inputs().begin(), step.inputs().end(), same) ? 1 : 0;
        if (std::any_of(step.outputs().begin(), step.outputs().end(), same)) {
            break;
        }
    }
    return count;
}

}  // namespace

WhyStandalone why_standalone(const Plan& plan, std::size_t at) {
    const StepInfo& pass = plan.steps[at]->info();
    const TensorId src = plan.steps[at]->inputs().at(0);
    // A change of layout is nothing that makes values.
    TensorId from = src;
    std::optional<std::size_t> maker = maker_of(plan, from, at);
    while (maker && plan.steps[*maker]->info().kind == "reorder") {
        from = plan.steps[*maker]->inputs().at(0);
        maker = maker_of(plan, from, *maker);
    }
    if (!maker) {
        return {"network_input",
                "it quantizes an input of the model: one pass converts, transposes and quantizes"};
    }
    const StepInfo& before = plan.steps[*maker]->info();
    if (pass.src_type == "u8" || pass.src_type == "i8") {
        return {"requantizes", fmt::format("it turns the integers of '{}' into those of another "
                                           "range; one pass over memory does it",
                                           before.name)};
    }
    if (!is_anchor_kind(before.kind)) {
        return {"no_anchor", fmt::format("no convolution or matmul stands directly before it but "
                                         "the step '{}' ({}); one pass over memory applies it",
                                         before.name, before.kind)};
    }
    if (readers_of(plan, from, *maker) > 1) {
        return {"read_elsewhere",
                fmt::format("other layers read the real numbers of '{}' too, so they are stored; "
                            "one pass over memory quantizes them",
                            before.name)};
    }
    return {"post_ops_rest",
            fmt::format(
                "the {} '{}' does not take all of what follows{}", before.kind, before.name,
                before.notes.empty() ? "" : fmt::format(": {}", fmt::join(before.notes, "; ")))};
}

}  // namespace fuseq::cpu
