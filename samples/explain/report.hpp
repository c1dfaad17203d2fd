// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The report of a compiled model (property FUSEQ_REPORT) as tables for a person.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace fuseq::samples {

using Report = nlohmann::ordered_json;

struct ReportLook {
    bool wide = false;        // long cells are not cut
    bool candidates = false;  // a line for every implementation that was asked for a layer
};

// Totals, one line for every FakeQuantize, one for every step; with times where the steps have
// "time_us". Columns are as wide as their widest cell.
std::string report_text(const Report& report, const ReportLook& look = {});

// For each step with a chain: what the laws of the composer did to it, which of them refuse and
// why, and what the anchor did not take. docs/post_ops.md says what each law is.
std::string laws_text(const Report& report, bool wide);

// What the user could do about a FakeQuantize that was not fused, by the reason's code; empty when
// there is nothing to say.
std::string advice(const std::string& code);

}  // namespace fuseq::samples
