// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/report.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "cpu/machine/isa_limit.hpp"
#include "cpu/machine/traits.hpp"
#include "cpu/plan/law_notes.hpp"
#include "cpu/plan/why_standalone.hpp"
#include "model/json_text.hpp"
#include "ops/quantized/rules/rules_json.hpp"
#include "ops/state/variables_json.hpp"

namespace fuseq::cpu {
namespace {

using nlohmann::ordered_json;

// One pass of the plugin's own kernels over memory.
bool is_pass_kind(const std::string& kind) {
    return kind == "eltwise" || kind == "io_reorder";
}

// Steps that are fused with the quantization of their result.
bool takes_quantization(const std::string& kind) {
    return is_anchor_kind(kind) || kind == "attention" || kind == "softmax" || kind == "mvn" ||
           kind == "interpolate";
}

bool is_reference(const std::string& implementation) {
    return implementation.rfind("ref", 0) == 0;
}

ordered_json candidates_json(const StepInfo& info) {
    ordered_json rows = ordered_json::array();
    for (const CandidateVerdict& candidate : info.candidates) {
        rows.push_back({{"name", candidate.name},
                        {"verdict", candidate.verdict},
                        {"reason", candidate.reason},
                        {"cost", candidate.cost}});
    }
    return rows;
}

// Of the step that begins a group: an anchor, or its chain where there is none.
ordered_json laws_json(const std::vector<post_ops::LawNote>& notes) {
    ordered_json rows = ordered_json::array();
    for (const post_ops::LawNote& note : notes) {
        rows.push_back({{"law", note.law}, {"applied", note.applied}, {"text", note.text}});
    }
    return rows;
}

ordered_json step_json(const StepInfo& info, const std::vector<post_ops::LawNote>& laws) {
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
            {"notes", info.notes},
            {"candidates", candidates_json(info)},
            {"laws", laws_json(laws)}};
}

// Where each IR layer ended: the number of the step that names it.
std::unordered_map<std::string, std::size_t> steps_by_layer(const Plan& plan) {
    std::unordered_map<std::string, std::size_t> found;
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        for (const std::string& layer : plan.steps[s]->info().layers) {
            found.try_emplace(layer, s);
        }
    }
    return found;
}

WhyStandalone why_not_fused(const std::string& layer,
                            const Plan& plan,
                            const ReportOptions& options,
                            std::size_t step) {
    for (const Remark& remark : options.remarks) {
        if (remark.kind == Remark::Kind::kRefused && remark.layer == layer) {
            return {remark.code, remark.text};
        }
    }
    if (!is_pass_kind(plan.steps[step]->info().kind)) {
        return {};
    }
    WhyStandalone why = why_standalone(plan, step);
    if (!options.fuse && why.code != "network_input") {
        return {"fusion_off", "fusion is switched off (FUSEQ_FUSION=NO)"};
    }
    return why;
}

ordered_json fake_quantize_json(const Model& original,
                                const Plan& plan,
                                const ReportOptions& options) {
    const auto steps = steps_by_layer(plan);
    std::unordered_set<std::string> integer_results;
    for (const PlanTensor& tensor : plan.tensors) {
        if (tensor.quantized) {
            integer_results.insert(tensor.quantized->layer);
            integer_results.insert(tensor.quantized->twins.begin(), tensor.quantized->twins.end());
        }
    }
    ordered_json rows = ordered_json::array();
    for (const Node* node : original.find_all("FakeQuantize")) {
        const auto it = steps.find(node->name());
        const StepInfo* step = it == steps.end() ? nullptr : &plan.steps[it->second]->info();
        std::string verdict = "folded";
        WhyStandalone why;
        if (step != nullptr) {
            verdict = takes_quantization(step->kind) ? "fused"
                      : integer_results.contains(node->name()) || is_pass_kind(step->kind)
                          ? "standalone"
                          : "float";
            if (verdict != "fused") {
                why = why_not_fused(node->name(), plan, options, it->second);
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

// What each pass did, by pass in the order of the lists: over the Model, then over the plan.
ordered_json passes_json(const Plan& plan, const ReportOptions& options) {
    ordered_json rows = ordered_json::array();
    const auto add = [&](const std::vector<Remark>& remarks, const char* over) {
        const auto first = static_cast<std::ptrdiff_t>(rows.size());
        for (const Remark& remark : remarks) {
            if (remark.kind == Remark::Kind::kRefused) {
                continue;
            }
            auto row = std::find_if(rows.begin() + first, rows.end(),
                                    [&](const auto& it) { return it["pass"] == remark.pass; });
            if (row == rows.end()) {
                rows.push_back(
                    {{"pass", remark.pass}, {"over", over}, {"changes", ordered_json::array()}});
                row = std::prev(rows.end());
            }
            (*row)["changes"].push_back({{"layer", remark.layer}, {"text", remark.text}});
        }
    };
    add(options.remarks, "model");
    add(plan.remarks, "plan");
    return rows;
}

ordered_json fallback_json(const ReportOptions& options) {
    ordered_json rows = ordered_json::array();
    for (const FallbackRow& row : options.fallback) {
        rows.push_back({{"layer", row.layer},
                        {"int8_us", row.int8_us},
                        {"float_us", row.float_us},
                        {"code", row.code},
                        {"reason", row.reason}});
    }
    return {{"note", options.fallback_note}, {"layers", rows}};
}

void add_refusals(const std::vector<Remark>& remarks, ordered_json& rows) {
    for (const Remark& remark : remarks) {
        if (remark.kind == Remark::Kind::kRefused) {
            rows.push_back({{"pass", remark.pass},
                            {"layer", remark.layer},
                            {"code", remark.code},
                            {"reason", remark.text}});
        }
    }
}

}  // namespace

std::string report_json(const Model& original,
                        const Model& transformed,
                        const Plan& plan,
                        const ReportOptions& options) {
    ordered_json report;
    report["model"] = original.name();
    report["cache"] = options.cache;
    report["float_fallback"] = fallback_json(options);
    report["isa"] = to_string(isa_level());
    report["machine"] = machine_traits().text();
    report["int8_exact"] = int8_accumulates_exactly();
    const ordered_json rows = fake_quantize_json(original, plan, options);
    report["totals"] = totals_json(plan, rows);
    report["totals"]["nodes_after_transformations"] = transformed.node_count();
    report["fake_quantize"] = rows;
    report["variables"] = variables_json<ordered_json>(options.variables);
    report["steps"] = ordered_json::array();
    const auto notes = law_notes(transformed, options.fuse, options.laws);
    for (const auto& step : plan.steps) {
        const auto found = notes.find(step->info().name);
        report["steps"].push_back(step_json(
            step->info(), found == notes.end() ? std::vector<post_ops::LawNote>() : found->second));
    }
    report["rounding_rules"] = rounding_rules_json<ordered_json>(layer_rules(transformed));
    report["passes"] = passes_json(plan, options);
    report["refusals"] = ordered_json::array();
    add_refusals(options.remarks, report["refusals"]);
    add_refusals(plan.remarks, report["refusals"]);
    return json_text(report, 1);
}

}  // namespace fuseq::cpu
