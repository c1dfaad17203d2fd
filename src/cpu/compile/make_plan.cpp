// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/make_plan.hpp"

#include "cpu/plan/passes/pipeline.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {

Plan make_plan(const Model& model,
               const std::map<std::string, FakeQuantizeResult>& ranges,
               const BuildOptions& options) {
    PlanPassOptions passes;
    passes.disabled = options.disabled_passes;
    if (!options.tile_groups) {
        passes.disabled.emplace_back("tile_groups");
    }
    passes.dump_dir = options.dump_dir;
    passes.keep_intermediates = options.dump_intermediates;
    passes.threads = work_shares();
    PlanPassContext context(std::move(passes));
    Plan plan = PlanBuilder(model, ranges, options).build();
    run_plan_passes(plan, context, plan_passes());
    return plan;
}

}  // namespace fuseq::cpu
