// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/prefetch_weights.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "cpu/machine/traits.hpp"
#include "cpu/steps/capabilities.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::string_view kName = "prefetch_weights";
constexpr std::size_t kCacheLine = 64;
// Multiplied while a byte comes from L3.
constexpr std::size_t kMacsForAByte = 24;

// Weights that may lie in L2 before somebody reads them: three quarters of it. With an L2 of 1 MB,
// 512 KB, 768 KB and 1.5 MB took as long (docs/performance/log/convolutions.md).
std::size_t room_in_l2() {
    return machine_traits().caches.l2 / 4 * 3;
}

// Of a step's weights the half that it has read is the first that L2 evicts.
std::size_t limit_of(const Step& step, std::size_t room) {
    const auto all = static_cast<std::size_t>(std::max<std::int64_t>(step.info().bytes, 0));
    const std::size_t used = all - std::min(all, step.packed_weights().size() / 2);
    return room - std::min(room, used);
}

std::vector<FetchStep> steps_of(const Plan& plan) {
    std::vector<FetchStep> steps;
    const std::size_t room = room_in_l2();
    for (const auto& step : plan.steps) {
        FetchStep& it = steps.emplace_back();
        it.wanted = it.own = step->packed_weights().size();
        it.limit = limit_of(*step, room);
        if (const WeightPrefetch* product = step->weight_prefetch()) {
            const auto macs = static_cast<std::size_t>(step->info().macs);
            it.room = std::min(product->fetchable(), macs / kMacsForAByte);
            // Those of many pixels fetch what they need, but for the first, themselves.
            it.wanted = it.room < 2 * it.own ? it.own : 0;
        }
    }
    for (const TileGroup& group : plan.tile_groups) {
        for (std::size_t i = group.first; i < group.last; ++i) {
            steps[i].room = 0;  // the parts of a tile group are too short
        }
    }
    return steps;
}

// What a step fetches of the next product in any case; none where that one wants weights fetched,
// which are in the list of fetches.
WeightSpan first_of_next(const WeightPrefetch& product,
                         const Plan& plan,
                         std::span<const FetchStep> steps) {
    const WeightPrefetch* const next = product.next();
    for (std::size_t i = 0; i < steps.size() && next != nullptr; ++i) {
        if (plan.steps[i]->weight_prefetch() == next) {
            return steps[i].wanted != 0 ? WeightSpan() : next->first_weights(0, 1);
        }
    }
    return {};
}

}  // namespace

std::vector<std::vector<Fetch>> plan_fetches(std::span<const FetchStep> steps) {
    std::vector<std::vector<Fetch>> fetches(steps.size());
    std::vector<std::size_t> room(steps.size());
    std::vector<std::size_t> limit(steps.size());
    for (std::size_t s = 0; s < steps.size(); ++s) {
        limit[s] = steps[s].limit;
        std::vector<std::pair<std::size_t, std::size_t>> taken;  // steps and bytes, from the last
        std::size_t missing = steps[s].wanted;
        std::size_t max = missing;
        for (std::size_t i = s; i-- > 0 && missing > 0;) {
            max = std::min(max, limit[i]);
            const std::size_t all = std::min({missing, room[i], max});
            const std::size_t bytes = all == missing ? all : all / kCacheLine * kCacheLine;
            if (bytes == 0) {
                continue;
            }
            taken.emplace_back(i, bytes);
            room[i] -= bytes;
            missing -= bytes;
            for (std::size_t k = i; k < s; ++k) {
                limit[k] -= bytes;
            }
            max = std::min(max - bytes, missing);
        }
        std::size_t at = 0;
        for (auto it = taken.rbegin(); it != taken.rend(); at += it->second, ++it) {
            fetches[it->first].push_back({s, at, at + it->second});
        }
        const std::size_t own = steps[s].own - std::min(steps[s].own, at);
        room[s] = steps[s].room - std::min(steps[s].room, own);
    }
    return fetches;
}

bool prefetch_weights(Plan& plan, PlanPassContext& context) {
    // Measured where two wide vectors are loaded a cycle; others keep to the next step.
    if (machine_traits().one_wide_load_a_cycle || context.options().threads > 1) {
        return false;
    }
    const std::vector<FetchStep> steps = steps_of(plan);
    const auto fetches = plan_fetches(steps);
    std::vector<std::size_t> fetched(steps.size(), 0);  // of each one's weights, by others
    bool changed = false;
    for (std::size_t s = 0; s < steps.size(); ++s) {
        for (const Fetch& fetch : fetches[s]) {
            fetched[fetch.step] = fetch.end;
        }
        WeightPrefetch* const product = plan.steps[s]->weight_prefetch();
        if (product == nullptr || (fetches[s].empty() && fetched[s] == 0)) {
            continue;
        }
        std::vector<WeightSpan> ahead;
        std::size_t bytes = 0;
        const auto add = [&](WeightSpan weights) {
            if (!weights.empty()) {
                ahead.push_back(weights);
                bytes += weights.size();
            }
        };
        if (fetched[s] != 0) {
            add(plan.steps[s]->packed_weights().subspan(fetched[s]));
        }
        add(first_of_next(*product, plan, steps));
        for (const Fetch& fetch : fetches[s]) {
            add(plan.steps[fetch.step]->packed_weights().subspan(fetch.begin,
                                                                 fetch.end - fetch.begin));
        }
        context.did(kName, *plan.steps[s],
                    fmt::format("fetches {} bytes of weights for {} later steps", bytes,
                                fetches[s].size()));
        product->set_ahead(std::move(ahead), fetched[s] != 0);
        changed = true;
    }
    return changed;
}

}  // namespace fuseq::cpu
