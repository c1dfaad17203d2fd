// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "explain/report.hpp"
#include "fuseq/fuseq.hpp"

namespace fuseq::samples {

// Runs the model, compiled with PERF_COUNT, `runs` times on `given`, or on made-up inputs when it is
// empty, after some unmeasured runs. Writes medians in microseconds into the report: "time_us" of
// every step, and totals.infer_us of a whole inference.
void profile(const CompiledModel& model,
             int runs,
             const std::vector<Tensor>& given,
             Report& report);

}  // namespace fuseq::samples
