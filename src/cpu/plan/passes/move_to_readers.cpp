// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/move_to_readers.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "cpu/plan/passes/plan_uses.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::string_view kName = "move_to_readers";

}  // namespace

bool move_to_readers(Plan& plan, PlanPassContext& context) {
    std::vector<Touched> touched;
    for (const auto& step : plan.steps) {
        touched.push_back(touched_by(plan, *step));
    }
    bool changed = false;
    for (std::size_t s = plan.steps.size(); s-- > 0;) {
        const Touched mine = touched[s];
        if (bytes_of(plan, mine.written) < 2 * bytes_of(plan, mine.read)) {
            continue;
        }
        std::size_t to = s + 1;
        while (to < plan.steps.size() && !meet(mine.written, touched[to].read) &&
               !meet(mine.written, touched[to].written) && !meet(mine.read, touched[to].written)) {
            ++to;
        }
        if (to == plan.steps.size() || to == s + 1) {
            continue;  // nobody reads it, or it is there already
        }
        context.did(kName, *plan.steps[s],
                    fmt::format("runs before '{}', {} steps later", plan.steps[to]->info().name,
                                to - s - 1));
        const auto at = [](auto& list, std::size_t i) {
            return list.begin() + static_cast<std::ptrdiff_t>(i);
        };
        std::rotate(at(plan.steps, s), at(plan.steps, s + 1), at(plan.steps, to));
        std::rotate(at(touched, s), at(touched, s + 1), at(touched, to));
        changed = true;
    }
    return changed;
}

}  // namespace fuseq::cpu
