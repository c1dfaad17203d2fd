// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/plan_text.hpp"

#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

std::string list_of(const std::vector<TensorId>& ids) {
    std::string text = "(";
    for (const TensorId id : ids) {
        text += text.size() == 1 ? "" : ", ";
        text += id == kNoTensor ? std::string("none") : detail::cat("%", id);
    }
    return text + ")";
}

std::string step_text(std::size_t number, const Step& step) {
    const StepInfo& info = step.info();
    std::string text =
        detail::cat("step ", number, " ", info.kind, " \"", info.name, "\" [", info.implementation,
                    "] ", list_of(step.inputs()), " -> ", list_of(step.outputs()));
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
        return detail::cat("over %", tensor.alias);
    }
    switch (tensor.storage) {
        case Storage::kArena: return detail::cat("arena at ", tensor.offset);
        case Storage::kConstant: return "constant";
        case Storage::kInput: return detail::cat("input ", tensor.port);
        case Storage::kOutput: return detail::cat("output ", tensor.port);
        case Storage::kDynamic: return "dynamic";
    }
    return "";
}

std::string tensor_text(TensorId id, const PlanTensor& tensor) {
    std::string text =
        detail::cat("tensor %", id, " ", to_string(tensor.type), " ", to_string(tensor.shape), " ",
                    to_string(tensor.layout), " ", place_of(tensor));
    if (tensor.shape.is_static()) {
        text += detail::cat(", ", tensor.bytes(), " bytes");
    }
    if (tensor.part_row != 0) {
        text += detail::cat(", ", tensor.parts, " parts of ", tensor.part_bytes, " bytes");
    }
    return text + "\n";
}

std::string group_text(const TileGroup& group) {
    return detail::cat("group steps ", group.first, " to ", group.last - 1, ": ", group.rows,
                       " rows in parts of ", group.part, ", grain ", group.grain, ", share grain ",
                       group.share_grain, ", ", group.threads, " threads",
                       group.window ? ", producer-consumer" : "", "\n");
}

}  // namespace

std::string to_text(const Plan& plan) {
    std::string text = detail::cat("plan: ", plan.steps.size(), " steps, ", plan.tensors.size(),
                                   " tensors, ", plan.tile_groups.size(), " tile groups, ",
                                   plan.arena_bytes, " bytes of arena\n");
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
