// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/planned_model.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "cpu/compile/make_plan.hpp"
#include "cpu/compile/plan_options.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/state/separate_state.hpp"

namespace fuseq::cpu {

bool has_open_shapes(const Model& model) {
    return std::any_of(model.parameters().begin(), model.parameters().end(),
                       [](const Node* p) { return p->port(0).shape.is_dynamic(); }) ||
           may_grow(variables_of(model));
}

std::shared_ptr<PlannedModel> plan_from_source(PlanSource source,
                                               const Config& config,
                                               kernels::FloatSums* sums,
                                               SharedByPlans* shared) {
    const Placement placement = config.placement();
    const ThreadCount threads(placement.threads, placement.uneven);
    auto planned = std::make_shared<PlannedModel>();
    planned->original = std::move(source.original);
    planned->transformed = std::move(source.transformed);
    planned->fallback = std::move(source.fallback);
    BuildOptions options = build_options(config);
    options.release_weights = true;
    options.packed = &source.packed;
    if (shared != nullptr) {
        options.constants = &shared->constants;
        options.gemm_weights = &shared->gemm_weights;
        options.groups = &shared->groups;
        options.is_copy = planned->transformed.copy_of_open;
    }
    options.float_sums = sums;
    planned->plan = make_plan(*planned->transformed.model, planned->transformed.ranges, options);
    return planned;
}

PlanSource plan_source(const Model& original,
                       const Config& config,
                       const FallbackClock& clock,
                       SharedByPlans* shared) {
    PlanSource source;
    if (config.float_fallback) {
        const Placement placement = config.placement();
        const ThreadCount threads(placement.threads, placement.uneven);
        source.fallback = choose_float(original, config, clock);
    }
    source.transformed = transform_with(original, config, source.fallback,
                                        shared != nullptr ? &shared->constants : nullptr);
    return source;
}

std::shared_ptr<const PlannedModel> plan_model(std::shared_ptr<const Model> original,
                                               const Config& config,
                                               const FallbackClock& clock,
                                               SharedByPlans* shared) {
    PlanSource source = plan_source(*original, config, clock, shared);
    source.original = OriginalModel(std::move(original));
    if (shared != nullptr) {
        source.packed = shared->packed;
    }
    return plan_from_source(std::move(source), config, nullptr, shared);
}

std::shared_ptr<const PlannedModel> plan_model(const std::shared_ptr<const Model>& open,
                                               const std::vector<Shape>& shapes,
                                               const Config& config,
                                               SharedByPlans& shared) {
    PlanSource source;
    if (config.float_fallback) {
        source = plan_source(*with_shapes(*open, shapes), config, machine_clock(), &shared);
    } else {
        source.transformed = shared.passes.transform(*open, shapes, config, shared.constants);
    }
    source.original = OriginalModel(open, [open, shapes]() -> std::shared_ptr<const Model> {
        return with_shapes(*open, shapes);
    });
    source.packed = shared.packed;
    return plan_from_source(std::move(source), config, nullptr, &shared);
}

}  // namespace fuseq::cpu
