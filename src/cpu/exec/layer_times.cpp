// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/layer_times.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace fuseq::cpu {
namespace {

bool names_any(const StepInfo& info, const std::set<std::string>& names) {
    return std::any_of(info.layers.begin(), info.layers.end(),
                       [&](const std::string& layer) { return names.contains(layer); });
}

// A step that may stand before a layer for its sake.
bool prepares(const StepInfo& info, const LayerNames& names) {
    return info.group.empty() && (info.kind == "reorder" || names_any(info, names.fake_quantize));
}

bool reads(const Plan& plan, const Step& step, TensorId root) {
    return std::any_of(step.inputs().begin(), step.inputs().end(),
                       [&](TensorId id) { return plan.root(id) == root; });
}

// The only group that reads what a step writes; empty: there is none, or more than one, or the
// result leaves the plan. `owner`: group of each step after it.
std::string only_reader(const Plan& plan, std::size_t step, const std::vector<std::string>& owner) {
    std::optional<std::string> found;
    for (const TensorId id : plan.steps[step]->outputs()) {
        const TensorId root = plan.root(id);
        for (const TensorId output : plan.outputs) {
            if (plan.root(output) == root) {
                return {};
            }
        }
        for (std::size_t s = step + 1; s < plan.steps.size(); ++s) {
            if (reads(plan, *plan.steps[s], root)) {
                if (found && *found != owner[s]) {
                    return {};
                }
                found = owner[s];
            }
        }
    }
    return found.value_or("");
}

struct Part {
    double us = 0;
    bool anchor = false;
    bool quantized = false;
    std::set<std::string> anchors;
};

}  // namespace

std::vector<LayerTime> layer_times(const Plan& plan,
                                   std::span<const double> times_us,
                                   const LayerNames& names,
                                   bool quantized) {
    std::vector<std::string> owner(plan.steps.size());
    std::map<std::string, Part> parts;
    std::vector<std::string> order;
    for (std::size_t s = plan.steps.size(); s-- > 0;) {
        const StepInfo& info = plan.steps[s]->info();
        owner[s] = prepares(info, names) ? only_reader(plan, s, owner) : info.group;
        if (owner[s].empty()) {
            continue;
        }
        if (!parts.contains(owner[s])) {
            order.push_back(owner[s]);
        }
        Part& part = parts[owner[s]];
        part.us += times_us[s];
        if (is_anchor_kind(info.kind)) {
            part.anchor = true;
            part.quantized = part.quantized || info.quantized;
        }
        for (const std::string& layer : info.layers) {
            if (names.anchors.contains(layer)) {
                part.anchors.insert(layer);
            }
        }
    }
    std::reverse(order.begin(), order.end());
    std::vector<LayerTime> times;
    for (const std::string& layer : order) {
        const Part& part = parts[layer];
        if (part.anchor && part.quantized == quantized && part.anchors.size() < 2) {
            times.push_back({layer, part.us});
        }
    }
    return times;
}

}  // namespace fuseq::cpu
