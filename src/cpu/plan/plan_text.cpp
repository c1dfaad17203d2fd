// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/plan_text.hpp"

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

std::string list_of(const std::vector<TensorId>& ids) {
    std::string text = "(";
    for (const TensorId id : ids) {
        text += text.size() == 1 ? "" : ", ";
        text += id == kNoTensor ? std::string("none") : fmt::format("%{}", id);
    }
    return text + ")";
}

std::string step_text(std::size_t number, const Step& step) {
    const StepInfo& info = step.info();
    std::string text =
        fmt::format("step {} {} \"{}\" [{}] {} -> {}", number, info.kind, info.name,
                    info.implementation, list_of(step.inputs()), list_of(step.outputs()));
    if (!step.scratch().empty()) {
        text += " scratch " + list_of(step.scratch());
    }
    if (!info.post_ops.empty()) {
        text += " post_ops: " + info.post_ops;
    }
    return text + "\n";
}

std::string place_of(const PlanTensor& tensor) {
    if (tensor.alias != kNoTensor) {
        return fmt::format("over %{}", tensor.alias);
    }
    switch (tensor.storage) {
        case Storage::kArena: return fmt::format("arena at {}", tensor.offset);
        case Storage::kConstant: return "constant";
        case Storage::kInput: return fmt::format("input {}", tensor.port);
        case Storage::kOutput: return fmt::format("output {}", tensor.port);
        case Storage::kDynamic: return "dynamic";
    }
    return "";
}

std::string tensor_text(TensorId id, const PlanTensor& tensor) {
    std::string text =
        fmt::format("tensor %{} {} {} {} {}", id, to_string(tensor.type), to_string(tensor.shape),
                    to_string(tensor.layout), place_of(tensor));
    if (tensor.shape.is_static()) {
        text += fmt::format(", {} bytes", tensor.bytes());
    }
    if (tensor.part_row != 0) {
        text += fmt::format(", {} parts of {} bytes", tensor.parts, tensor.part_bytes);
    }
    return text + "\n";
}

std::string group_text(const TileGroup& group) {
    return fmt::format(
        "group steps {} to {}: {} rows in parts of {}, grain {}, share grain {}, {} threads{}\n",
        group.first, group.last - 1, group.rows, group.part, group.grain, group.share_grain,
        group.threads, group.window ? ", producer-consumer" : "");
}

}  // namespace

std::string to_text(const Plan& plan) {
    std::string text = fmt::format(
        "plan: {} steps, {} tensors, {} tile groups, {} bytes of arena\n", plan.steps.size(),
        plan.tensors.size(), plan.tile_groups.size(), plan.arena_bytes);
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        text += step_text(s, *plan.steps[s]);
    }
    for (TensorId id = 0; id < plan.tensors.size(); ++id) {
        text += tensor_text(id, plan.tensors[id]);
    }
    for (const TileGroup& group : plan.tile_groups) {
        text += group_text(group);
    }
    return text;
}

}  // namespace fuseq::cpu
