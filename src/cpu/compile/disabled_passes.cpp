// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/disabled_passes.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "cpu/plan/passes/pipeline.hpp"
#include "fuseq/error.hpp"
#include "model/nearest_name.hpp"
#include "transformations/pass.hpp"

namespace fuseq::cpu {
namespace {

struct Known {
    std::string_view name;
    std::string_view needed;
};

std::vector<Known> known_passes() {
    std::vector<Known> known;
    for (const auto* passes : {&common_passes(), &low_precision_passes(), &cpu_passes()}) {
        for (const Pass& pass : *passes) {
            known.push_back({pass.name, pass.needed});
        }
    }
    for (const PlanPass& pass : plan_passes()) {
        known.push_back({pass.name, pass.needed});
    }
    return known;
}

}  // namespace

void check_may_disable(const std::string& pass) {
    const std::vector<Known> known = known_passes();
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const Known& it) { return it.name == pass; });
    if (found == known.end()) {
        std::vector<std::string> names;
        names.reserve(known.size());
        for (const Known& it : known) {
            names.emplace_back(it.name);
        }
        throw Error("property",
                    fmt::format("FUSEQ_DISABLE: there is no pass '{}'; did you mean '{}'?", pass,
                                nearest_name(pass, names)));
    }
    if (!found->needed.empty()) {
        throw Error("property", fmt::format("FUSEQ_DISABLE: pass '{}' cannot be disabled: {}", pass,
                                            found->needed));
    }
}

}  // namespace fuseq::cpu
