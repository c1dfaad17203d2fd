// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/attention_by_heads.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cpu/plan/passes/plan_uses.hpp"
#include "cpu/steps/attention.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::string_view kName = "attention_by_heads";

// Numbers of the steps.
struct Parts {
    std::size_t scores = 0;
    std::size_t softmax = 0;
    std::size_t context = 0;
};

struct Refusal {
    std::string code;
    std::string text;
};

// The last step before `before` that writes the tensor's memory.
std::optional<std::size_t> writer_of(const Plan& plan, TensorId root, std::size_t before) {
    for (std::size_t s = before; s-- > 0;) {
        if (uses(plan, plan.steps[s]->outputs(), root)) {
            return s;
        }
    }
    return std::nullopt;
}

// The only step that reads what `writer` writes there, between the two of them.
std::optional<std::size_t> only_reader(const Plan& plan, TensorId root, std::size_t writer) {
    const std::vector<std::size_t> users = users_after(plan, root, writer);
    return is_inner(plan, root) && users.size() == 1 ? std::optional(users[0]) : std::nullopt;
}

const ComputedProduct& product(const Plan& plan, std::size_t step) {
    return *plan.steps[step]->computed_product();
}

// The three steps around the SoftMax number `s`; nothing: it does not look like attention.
std::optional<Parts> parts_around(const Plan& plan,
                                  std::size_t s,
                                  std::optional<Refusal>& refusal) {
    const SoftmaxRows& softmax = *plan.steps[s]->softmax_rows();
    const TensorId scores = plan.root(softmax.scores);
    const TensorId probabilities = plan.root(softmax.dst);
    const auto before = writer_of(plan, scores, s);
    const auto after = only_reader(plan, probabilities, s);
    const bool makes = before && plan.steps[*before]->computed_product() != nullptr;
    const bool reads = after && plan.steps[*after]->computed_product() != nullptr &&
                       plan.root(product(plan, *after).a.id) == probabilities &&
                       plan.root(product(plan, *after).b.id) != probabilities;
    if (!makes && !reads) {
        return std::nullopt;
    }
    if (!makes) {
        refusal = {"no_scores", before ? fmt::format("its scores come out of '{}', which is no "
                                                     "product of two computed matrices of integers "
                                                     "alone",
                                                     plan.steps[*before]->info().name)
                                       : "its scores are an input of the model"};
        return std::nullopt;
    }
    if (!reads) {
        refusal = {"no_context",
                   "no product of two computed matrices of integers reads its result, and alone"};
        return std::nullopt;
    }
    const bool also_mask = softmax.mask != kNoTensor && plan.root(softmax.mask) == scores;
    if (also_mask || only_reader(plan, scores, *before) != s) {
        refusal = {"scores_are_read", "others read its scores too"};
        return std::nullopt;
    }
    return Parts{*before, s, *after};
}

// Whether the products take rows in the order of the SoftMax.
std::optional<Refusal> refusal_of_shapes(const Plan& plan, const Parts& parts) {
    const SoftmaxRows& softmax = *plan.steps[parts.softmax]->softmax_rows();
    const ComputedProduct& scores = product(plan, parts.scores);
    const ComputedProduct& context = product(plan, parts.context);
    const bool same =
        scores.columns() == softmax.params.length && context.depth == softmax.params.length &&
        scores.rows() == context.rows() && scores.places() == context.places() &&
        softmax.count == scores.places() * scores.rows() &&
        scores.is_dense(scores.dst, scores.columns()) && context.is_dense(context.a, context.depth);
    if (!same || scores.dst.type != ElementType::f32) {
        return Refusal{"other_rows", "scores, SoftMax and context have not the same dense rows"};
    }
    if (std::any_of(context.ops.begin(), context.ops.end(),
                    [](const kernels::GemmOp& op) { return op.reads_tensor(); })) {
        return Refusal{"context_reads", "the context is added to another tensor"};
    }
    return std::nullopt;
}

std::optional<Refusal> refusal_of_speed(const Plan& plan, const Parts& parts) {
    for (const std::size_t s : {parts.scores, parts.context}) {
        const ComputedProduct& one = product(plan, s);
        if (!one.own && one.form == kernels::GemmForm::kPairs) {
            return Refusal{"pairs", fmt::format("the second matrix of '{}' is {} with a zero point "
                                                "of {}: oneDNN's product is faster than pairs",
                                                plan.steps[s]->info().name, to_string(one.b.type),
                                                one.b.zero_point)};
        }
    }
    // Keys and values are packed for each head, and its scores are in a cache anyway: oneDNN's
    // batches are faster (docs/performance/log/kernels.md).
    constexpr std::size_t kMinRows = 64, kMinColumns = 64;
    const ComputedProduct& scores = product(plan, parts.scores);
    if (!scores.own && (scores.rows() < kMinRows || scores.columns() < kMinColumns)) {
        return Refusal{"small",
                       fmt::format("{} by {} scores a head, at least {} by {}", scores.rows(),
                                   scores.columns(), kMinRows, kMinColumns)};
    }
    return std::nullopt;
}

// Whether what the scores are made of is still there when the context is.
std::optional<Refusal> refusal_of_order(const Plan& plan, const Parts& parts) {
    const auto read = [&](std::size_t s) { return touched_by(plan, *plan.steps[s]).read; };
    std::set<TensorId> inputs = read(parts.scores);
    inputs.merge(read(parts.softmax));
    for (std::size_t s = parts.scores + 1; s < parts.context; ++s) {
        if (s != parts.softmax && meet(touched_by(plan, *plan.steps[s]).written, inputs)) {
            return Refusal{"overwritten", fmt::format("'{}' overwrites what its scores are made of",
                                                      plan.steps[s]->info().name)};
        }
    }
    return std::nullopt;
}

std::string without_store(const std::string& post_ops) {
    const std::size_t at = post_ops.rfind(" -> ");
    return at == std::string::npos ? post_ops : post_ops.substr(0, at);
}

StepInfo describe(const Plan& plan, const Parts& parts, const Attention& attention) {
    const StepInfo& scores = plan.steps[parts.scores]->info();
    const StepInfo& softmax = plan.steps[parts.softmax]->info();
    StepInfo info = plan.steps[parts.context]->info();
    info.kind = "attention";
    info.implementation = "fuseq:" + attention.implementation();
    take_layers(info, scores);
    take_layers(info, softmax);
    info.src_type = scores.src_type;
    info.post_ops = fmt::format("{}, softmax {}, {}", without_store(scores.post_ops),
                                softmax.post_ops, info.post_ops);
    info.macs += scores.macs;
    info.bytes = 0;
    for (const TensorId id : attention.inputs()) {
        info.bytes += static_cast<std::int64_t>(plan.tensors[id].bytes());
    }
    info.bytes +=
        static_cast<std::int64_t>(plan.tensors[plan.steps[parts.context]->outputs()[0]].bytes());
    info.notes.clear();
    return info;
}

TensorId add_scratch(Plan& plan, std::size_t bytes) {
    PlanTensor scratch;
    scratch.type = ElementType::u8;
    scratch.shape = Shape{bytes};
    plan.tensors.push_back(std::move(scratch));
    return plan.tensors.size() - 1;
}

void join(Plan& plan, const Parts& parts, PlanPassContext& context) {
    auto attention = std::make_shared<const Attention>(
        product(plan, parts.scores), *plan.steps[parts.softmax]->softmax_rows(),
        product(plan, parts.context), context.options().threads);
    CallStep::Tensors tensors{.inputs = attention->inputs(),
                              .outputs = plan.steps[parts.context]->outputs(),
                              .scratch = {add_scratch(plan, attention->scratch_bytes())}};
    auto step = std::make_unique<CallStep>(
        [attention](const CallMemory& memory) { attention->run(memory); }, std::move(tensors),
        describe(plan, parts, *attention));
    context.did(
        kName, *step,
        fmt::format("computes '{}' and '{}' too, some rows of a head at a time",
                    plan.steps[parts.scores]->info().name, plan.steps[parts.softmax]->info().name));
    plan.steps[parts.context] = std::move(step);
    remove_steps(plan, {parts.scores, parts.softmax});
}

}  // namespace

bool attention_by_heads(Plan& plan, PlanPassContext& context) {
    if (context.options().keep_intermediates) {
        return false;
    }
    bool changed = false;
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        if (plan.steps[s]->softmax_rows() == nullptr) {
            continue;
        }
        std::optional<Refusal> refusal;
        const auto parts = parts_around(plan, s, refusal);
        if (parts) {
            for (const auto check : {refusal_of_shapes, refusal_of_speed, refusal_of_order}) {
                refusal = refusal ? refusal : check(plan, *parts);
            }
        }
        if (refusal) {
            context.refused(kName, *plan.steps[s], refusal->code, refusal->text);
        } else if (parts) {
            join(plan, *parts, context);
            changed = true;
            s = parts->context - 2;  // where the joined step is now
        }
    }
    return changed;
}

}  // namespace fuseq::cpu
