// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A pass over the plan changes steps, their order, or the memory of tensors; never what is
// computed. Every pass is one file of its name, and is run from one list, pipeline.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/plan/plan.hpp"

namespace fuseq::cpu {

struct PlanPassOptions {
    // Passes to skip, by name; names of no pass of the list are left alone.
    std::vector<std::string> disabled{};
    // Folder to write plan_003_<pass>.txt into after each pass; empty: none.
    std::string dump_dir{};
    // Tensors between the steps are to be seen, whole, after an inference.
    bool keep_intermediates = false;
    std::size_t threads = 1;  // that will run the plan, or its shares (parallel.hpp)
};

class PlanPassContext {
public:
    explicit PlanPassContext(PlanPassOptions options = {}) : options_(std::move(options)) {}
    const PlanPassOptions& options() const { return options_; }
    bool is_disabled(std::string_view pass) const;

    // What the pass did at a step, as a sentence that goes on from the step's name.
    void did(std::string_view pass, const Step& step, std::string text);
    // Why it did not do at a step what a user could expect; `code` is one word for programs.
    void refused(std::string_view pass, const Step& step, std::string code, std::string text);
    const std::vector<Remark>& remarks() const { return remarks_; }

private:
    PlanPassOptions options_;
    std::vector<Remark> remarks_;
};

struct PlanPass {
    std::string_view name;                      // as the file and the function
    bool (*run)(Plan& plan, PlanPassContext&);  // true when something was changed
    // What is wrong with a plan that went without it; empty: it may be disabled.
    std::string_view needed{};
    // The pass that it prepares for: it is skipped where that one is. Empty: it stands for itself.
    std::string_view prepares{};
};

// Runs the passes in order, writes the plan before the first one (plan_000_built.txt) and after
// each as the options ask, and leaves their remarks in the plan. An Error names the pass: one that
// failed, or one that is disabled and needed. In one thread.
void run_plan_passes(Plan& plan, PlanPassContext& context, const std::vector<PlanPass>& passes);

}  // namespace fuseq::cpu
