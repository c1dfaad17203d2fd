// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/plan_pass.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "cpu/plan/plan_text.hpp"
#include "fuseq/error.hpp"
#include "transformations/support/dump_file.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::string_view kStage = "plan";

void dump(const Plan& plan,
          const PlanPassOptions& options,
          std::size_t number,
          std::string_view pass) {
    if (!options.dump_dir.empty()) {
        write_dump(options.dump_dir, "plan_" + dump_name(number, pass), to_text(plan), kStage);
    }
}

}  // namespace

bool PlanPassContext::is_disabled(std::string_view pass) const {
    const auto& off = options_.disabled;
    return std::find(off.begin(), off.end(), pass) != off.end();
}

void PlanPassContext::did(std::string_view pass, const Step& step, std::string text) {
    remarks_.push_back(
        {Remark::Kind::kRewritten, std::string(pass), step.info().name, "", std::move(text)});
}

void PlanPassContext::refused(std::string_view pass,
                              const Step& step,
                              std::string code,
                              std::string text) {
    remarks_.push_back({Remark::Kind::kRefused, std::string(pass), step.info().name,
                        std::move(code), std::move(text)});
}

void run_plan_passes(Plan& plan, PlanPassContext& context, const std::vector<PlanPass>& passes) {
    dump(plan, context.options(), 0, "built");
    std::size_t number = 0;
    for (const PlanPass& pass : passes) {
        ++number;
        if (context.is_disabled(pass.name)) {
            if (!pass.needed.empty()) {
                throw Error(std::string(kStage), fmt::format("pass '{}' cannot be disabled: {}",
                                                             pass.name, pass.needed));
            }
            continue;
        }
        if (!pass.prepares.empty() && context.is_disabled(pass.prepares)) {
            continue;
        }
        try {
            pass.run(plan, context);
        } catch (const Error& error) {
            Error::Info info = error.info();
            info.stage = fmt::format("{} {}", kStage, pass.name);
            throw Error(std::move(info));
        }
        dump(plan, context.options(), number, pass.name);
    }
    plan.remarks = context.remarks();
}

}  // namespace fuseq::cpu
