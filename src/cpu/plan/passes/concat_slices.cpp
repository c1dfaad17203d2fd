// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/concat_slices.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "cpu/plan/passes/plan_uses.hpp"
#include "cpu/steps/capabilities.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::string_view kName = "concat_slices";

// The step that makes the tensor, if it is the only user besides the concat, which reads it once.
Step* writer_for(const Plan& plan, TensorId id, std::size_t concat) {
    if (!is_inner(plan, id)) {
        return nullptr;
    }
    Step* writer = nullptr;
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        Step& step = *plan.steps[s];
        if (s == concat || !(uses(plan, step.inputs(), id) || uses(plan, step.outputs(), id))) {
            continue;
        }
        if (writer != nullptr || s > concat || step.slice_writer() == nullptr ||
            step.outputs()[0] != id) {
            return nullptr;
        }
        writer = &step;
    }
    const auto& read = plan.steps[concat]->inputs();
    return std::count(read.begin(), read.end(), id) == 1 ? writer : nullptr;
}

bool write_slices(Plan& plan, std::size_t at, SliceCopy& copy, PlanPassContext& context) {
    const Step& concat = *plan.steps[at];
    bool changed = false;
    for (std::size_t i = concat.inputs().size(); i-- > 0;) {
        Step* const step = writer_for(plan, concat.inputs()[i], at);
        SliceWriter* const writer = step == nullptr ? nullptr : step->slice_writer();
        if (writer == nullptr || writer->pixel_bytes() != copy.row_bytes(i) ||
            copy.dst_row_bytes() % writer->element_bytes() != 0) {
            continue;
        }
        writer->write_slice(concat.outputs()[0], copy.dst_offset(i), copy.dst_row_bytes());
        step->info().post_ops += ", concat";
        context.did(kName, *step, fmt::format("stores into '{}'", concat.info().name));
        copy.leave_out(i);
        changed = true;
    }
    return changed;
}

// The layers of a concat that is gone go to the last step that does its work.
void pass_on_layers(const Plan& plan, std::size_t at) {
    const Step& concat = *plan.steps[at];
    for (std::size_t s = at; s-- > 0;) {
        if (plan.steps[s]->outputs() == concat.outputs()) {
            take_layers(plan.steps[s]->info(), concat.info());
            return;
        }
    }
}

}  // namespace

bool concat_slices(Plan& plan, PlanPassContext& context) {
    if (context.options().keep_intermediates) {
        return false;
    }
    bool changed = false;
    for (std::size_t s = 0; s < plan.steps.size();) {
        const Step& concat = *plan.steps[s];
        SliceCopy* const copy = plan.steps[s]->slice_copy();
        if (copy != nullptr && plan.root(concat.outputs()[0]) == concat.outputs()[0]) {
            changed = write_slices(plan, s, *copy, context) || changed;
            if (concat.inputs().empty()) {
                pass_on_layers(plan, s);
                remove_steps(plan, {s});
                continue;
            }
        }
        ++s;
    }
    return changed;
}

}  // namespace fuseq::cpu
