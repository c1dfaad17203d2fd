// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/prefetch_next_weights.hpp"

#include <fmt/core.h>

#include "cpu/steps/capabilities.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::string_view kName = "prefetch_next_weights";
// From one product to the next: the steps between them are without weights of their own to fetch.
constexpr std::size_t kMaxDistance = 3;

}  // namespace

bool prefetch_next_weights(Plan& plan, PlanPassContext& context) {
    bool changed = false;
    WeightPrefetch* last = nullptr;
    std::size_t at = 0;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        WeightPrefetch* const next = plan.steps[i]->weight_prefetch();
        if (next == nullptr) {
            continue;
        }
        if (last != nullptr && i - at <= kMaxDistance) {
            last->set_next(*next);
            context.did(
                kName, *plan.steps[at],
                fmt::format("fetches the first weights of '{}'", plan.steps[i]->info().name));
            changed = true;
        }
        last = next;
        at = i;
    }
    return changed;
}

}  // namespace fuseq::cpu
