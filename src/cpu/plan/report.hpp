// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What became of every layer: the JSON text of the FUSEQ_REPORT property.
#pragma once

#include <string>
#include <vector>

#include "cpu/plan/plan.hpp"
#include "cpu/post_ops/simplify.hpp"
#include "fuseq/model.hpp"
#include "fuseq/variable_state.hpp"
#include "transformations/pass.hpp"

namespace fuseq::cpu {

// A layer that was measured to be slower on integers, and what was done about it.
struct FallbackRow {
    std::string layer;
    double int8_us = 0;
    double float_us = 0;
    std::string code;
    std::string reason;
};

struct ReportOptions {
    const std::vector<Remark>& remarks;
    bool fuse = true;           // what the plan was made with
    std::string cache = "off";  // what the model cache did
    std::vector<Variable> variables = {};
    std::vector<FallbackRow> fallback = {};
    std::string fallback_note = {};       // what was measured of the whole; empty: nothing
    post_ops::SimplifyOptions laws = {};  // those that chains were simplified by
};

// {"model", "cache", "isa", "machine", "int8_exact", "totals": {...}, "float_fallback":
// {note, layers: [{layer, int8_us, float_us, code, reason}]}, "fake_quantize": [{layer, verdict,
// step, code, reason}], "steps": [{name, ..., notes, candidates: [{name, verdict, reason, cost}],
// laws: [{law, applied, text}]}], "variables": [{name, type, shape, initial}],
// "passes": [{pass, over: "model" or "plan", changes: [{layer, text}]}], "refusals": [{pass, layer,
// code, reason}]}
std::string report_json(const Model& original,
                        const Model& transformed,
                        const Plan& plan,
                        const ReportOptions& options);

}  // namespace fuseq::cpu
