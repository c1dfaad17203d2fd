// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "cpu/plan/builder.hpp"
#include "cpu/plan/plan.hpp"

namespace fuseq::cpu {

// Builds the plan of a transformed model and runs the passes over it (plan/passes/pipeline.hpp),
// for the threads that the OpenMP team of the caller has. `ranges` as PlanBuilder takes them. The
// model must outlive the plan.
Plan make_plan(const Model& model,
               const std::map<std::string, FakeQuantizeResult>& ranges,
               const BuildOptions& options);

}  // namespace fuseq::cpu
