// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What became of every layer: the JSON text of the FUSEQ_REPORT property.
#pragma once

#include <string>
#include <vector>

#include "cpu/plan/plan.hpp"
#include "fuseq/model.hpp"
#include "transformations/pass.hpp"

namespace fuseq::cpu {

struct ReportOptions {
    const std::vector<Remark>& remarks;
    bool fuse = true;  // what the plan was made with
};

// {"model", "isa", "int8_exact", "totals": {...}, "fake_quantize": [{layer, verdict, step, code,
// reason}], "steps":
// [...]}
std::string report_json(const Model& original,
                        const Model& transformed,
                        const Plan& plan,
                        const ReportOptions& options);

}  // namespace fuseq::cpu
