// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/disabled_passes.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "cpu/plan/passes/pipeline.hpp"
#include "fuseq/error.hpp"
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

// Letters to insert, remove or replace in one to get the other (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t k = 1; k <= b.size(); ++k) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[k - 1] ? 0 : 1);
            diagonal = row[k];
            row[k] = std::min({row[k] + 1, row[k - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

}  // namespace

void check_may_disable(const std::string& pass) {
    const std::vector<Known> known = known_passes();
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const Known& it) { return it.name == pass; });
    if (found == known.end()) {
        const auto nearest =
            std::min_element(known.begin(), known.end(), [&](const Known& a, const Known& b) {
                return distance(a.name, pass) < distance(b.name, pass);
            });
        throw Error("property",
                    fmt::format("FUSEQ_DISABLE: there is no pass '{}'; did you mean '{}'?", pass,
                                nearest->name));
    }
    if (!found->needed.empty()) {
        throw Error("property", fmt::format("FUSEQ_DISABLE: pass '{}' cannot be disabled: {}", pass,
                                            found->needed));
    }
}

}  // namespace fuseq::cpu
