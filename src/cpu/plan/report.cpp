// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/report.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "cpu/runtime/isa.hpp"

namespace fuseq::cpu {
namespace {

using nlohmann::ordered_json;

bool is_anchor_kind(const std::string& kind) {
    return kind == "convolution" || kind == "deconvolution" || kind == "matmul";
}

// Steps that are fused with the quantization of their result.
bool takes_quantization(const std::string& kind) {
    return is_anchor_kind(kind) || kind == "softmax" || kind == "mvn";
}

bool is_reference(const std::string& implementation) {
    return implementation.rfind("ref", 0) == 0;
}

ordered_json step_json(const StepInfo& info) {
    return {{"name", info.name},
            {"kind", info.kind},
            {"implementation", info.implementation},
            {"layers", info.layers},
            {"src_type", info.src_type},
            {"wei_type", info.wei_type},
            {"dst_type", info.dst_type},
            {"layout", info.layout},
            {"post_ops", info.post_ops},
            {"quantized", info.quantized},
            {"macs", info.macs},
            {"bytes", info.bytes},
            {"notes", info.notes}};
}

// Where each IR layer ended: the step that names it.
std::unordered_map<std::string, const StepInfo*> steps_by_layer(const Plan& plan) {
    std::unordered_map<std::string, const StepInfo*> found;
    for (const auto& step : plan.steps) {
        for (const std::string& layer : step->info().layers) {
            found.try_emplace(layer, &step->info());
        }
    }
    return found;
}

// Reason why a FakeQuantize is not fused.
struct Why {
    std::string code;
    std::string text;
};

Why why_not_fused(const std::string& layer,
                  const std::vector<Remark>& remarks,
                  const StepInfo* step) {
    for (const Remark& remark : remarks) {
        if (remark.kind == Remark::Kind::kRefused && remark.layer == layer) {
            return {remark.code, remark.text};
        }
    }
    if (step != nullptr && (step->kind == "chain" || step->kind == "border")) {
        return {"no_anchor",
                "no convolution or matmul stands directly before it; one pass over "
                "memory applies it"};
    }
    return {"", ""};
}

ordered_json fake_quantize_json(const Model& original,
                                const Plan& plan,
                                const std::vector<Remark>& remarks) {
    const auto steps = steps_by_layer(plan);
    std::unordered_set<std::string> integer_results;
    for (const PlanTensor& tensor : plan.tensors) {
        if (tensor.quantized) {
            integer_results.insert(tensor.quantized->layer);
        }
    }
    ordered_json rows = ordered_json::array();
    for (const Node* node : original.find_all("FakeQuantize")) {
        const auto it = steps.find(node->name());
        const StepInfo* step = it == steps.end() ? nullptr : it->second;
        std::string verdict = "folded";
        Why why;
        if (step != nullptr) {
            verdict = takes_quantization(step->kind) ? "fused"
                      : integer_results.contains(node->name()) ||
                              (step->kind == "chain" || step->kind == "border")
                          ? "standalone"
                          : "float";
            if (verdict != "fused") {
                why = why_not_fused(node->name(), remarks, step);
            }
        }
        rows.push_back({{"layer", node->name()},
                        {"verdict", verdict},
                        {"step", step == nullptr ? "" : step->name},
                        {"code", why.code},
                        {"reason", why.text}});
    }
    return rows;
}

ordered_json totals_json(const Plan& plan, const ordered_json& fake_quantize) {
    std::int64_t macs = 0, int8_macs = 0;
    int reorders = 0, reference = 0, anchors_int8 = 0, anchors_float = 0;
    for (const auto& step : plan.steps) {
        const StepInfo& info = step->info();
        macs += info.macs;
        int8_macs += info.quantized ? info.macs : 0;
        reorders += info.kind == "reorder" ? 1 : 0;
        reference += is_reference(info.implementation) ? 1 : 0;
        if (is_anchor_kind(info.kind)) {
            ++(info.quantized ? anchors_int8 : anchors_float);
        }
    }
    const auto fused = std::count_if(
        fake_quantize.begin(), fake_quantize.end(),
        [](const auto& row) { return row["verdict"] == "fused" || row["verdict"] == "folded"; });
    return {{"steps", plan.steps.size()},
            {"macs", macs},
            {"int8_macs_share",
             macs == 0 ? 0.0 : static_cast<double>(int8_macs) / static_cast<double>(macs)},
            {"anchors_int8", anchors_int8},
            {"anchors_float", anchors_float},
            {"fake_quantize", fake_quantize.size()},
            {"fake_quantize_fused", fused},
            {"reorders", reorders},
            {"reference_steps", reference},
            {"arena_bytes", plan.arena_bytes}};
}

}  // namespace

std::string report_json(const Model& original,
                        const Model& transformed,
                        const Plan& plan,
                        const std::vector<Remark>& remarks) {
    ordered_json report;
    report["model"] = original.name();
    report["isa"] = effective_isa();
    report["int8_exact"] = int8_accumulates_exactly();
    const ordered_json rows = fake_quantize_json(original, plan, remarks);
    report["totals"] = totals_json(plan, rows);
    report["totals"]["nodes_after_transformations"] = transformed.node_count();
    report["fake_quantize"] = rows;
    report["steps"] = ordered_json::array();
    for (const auto& step : plan.steps) {
        report["steps"].push_back(step_json(step->info()));
    }
    report["refusals"] = ordered_json::array();
    for (const Remark& remark : remarks) {
        if (remark.kind == Remark::Kind::kRefused) {
            report["refusals"].push_back({{"pass", remark.pass},
                                          {"layer", remark.layer},
                                          {"code", remark.code},
                                          {"reason", remark.text}});
        }
    }
    return report.dump(1);
}

}  // namespace fuseq::cpu
