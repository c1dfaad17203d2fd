// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/requantized_results.hpp"

#include <fmt/core.h>

#include "cpu/plan/passes/plan_uses.hpp"
#include "cpu/steps/capabilities.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::string_view kName = "requantized_results";
constexpr std::size_t kMaxResults = 4;

// The chain of a step that does nothing but quantize that tensor into one with memory of its own;
// null: it does something else.
const post_ops::Chain* quantization(const Plan& plan,
                                    const Step& step,
                                    TensorId of,
                                    const RequantizedResults& source) {
    const RowChain rows = step.row_chain();
    if (rows.chain == nullptr || rows.channels != source.channels() ||
        step.inputs() != std::vector<TensorId>{of} ||
        plan.root(step.outputs()[0]) != step.outputs()[0] ||
        rows.chain->dst_type == ElementType::f32 || !source.takes_result(*rows.chain)) {
        return nullptr;
    }
    return rows.chain;
}

// What the convolution is to store besides, and the steps that do it now.
struct Requantized {
    std::vector<post_ops::Chain> results;
    std::vector<TensorId> ids;
    std::vector<std::size_t> steps;
    bool all = true;  // nobody else reads the floats
};

Requantized quantizations_of(const Plan& plan,
                             TensorId floats,
                             std::size_t at,
                             const RequantizedResults& source) {
    Requantized found;
    for (const std::size_t s : users_after(plan, floats, at)) {
        const Step& step = *plan.steps[s];
        const post_ops::Chain* chain = quantization(plan, step, floats, source);
        if (chain == nullptr || found.results.size() + 1 == kMaxResults) {
            found.all = false;
            continue;
        }
        found.results.push_back(*chain);
        found.ids.push_back(step.outputs()[0]);
        found.steps.push_back(s);
    }
    return found;
}

void add_info(const Plan& plan, StepInfo& info, const Step& removed) {
    take_layers(info, removed.info());
    const bool begins = info.post_ops.empty() || info.post_ops.back() == ' ';
    info.post_ops += (begins ? "" : ", ") + removed.info().post_ops;
    info.bytes += static_cast<std::int64_t>(plan.tensors[removed.outputs()[0]].bytes());
}

bool requantize(Plan& plan, std::size_t at, PlanPassContext& context) {
    Step& step = *plan.steps[at];
    RequantizedResults* const source = step.requantized_results();
    if (source == nullptr || source->results()[0].dst_type != ElementType::f32 ||
        !is_inner(plan, step.outputs()[0])) {
        return false;
    }
    const TensorId floats = step.outputs()[0];
    Requantized found = quantizations_of(plan, floats, at, *source);
    if (found.steps.empty()) {
        return false;
    }
    const bool drop = found.all && !context.options().keep_intermediates;
    if (!drop) {
        found.results.insert(found.results.begin(), source->results()[0]);
        found.ids.insert(found.ids.begin(), floats);
    }
    StepInfo& info = step.info();
    if (drop) {
        info.post_ops.erase(info.post_ops.rfind("-> f32"));
    }
    for (const std::size_t s : found.steps) {
        add_info(plan, info, *plan.steps[s]);
    }
    info.bytes -= drop ? static_cast<std::int64_t>(plan.tensors[floats].bytes()) : 0;
    info.dst_type = to_string(found.results[0].dst_type);
    context.did(kName, step,
                fmt::format("stores {} results{}", found.results.size(), drop ? ", no f32" : ""));
    source->set_results(std::move(found.results), std::move(found.ids), false);
    remove_steps(plan, found.steps);
    return true;
}

}  // namespace

bool requantized_results(Plan& plan, PlanPassContext& context) {
    bool changed = false;
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        changed = requantize(plan, s, context) || changed;
    }
    return changed;
}

}  // namespace fuseq::cpu
