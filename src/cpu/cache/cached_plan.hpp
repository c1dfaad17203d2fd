// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans of models that may be in a model cache, or that come out of a file.
#pragma once

#include <memory>

#include "cpu/cache/model_cache.hpp"
#include "cpu/compile/planned_model.hpp"

namespace fuseq::cpu {

// As plan_model(), but looks into the model cache where the configuration names one, and keeps in
// it what it did not find. `clock` is not asked at a hit; `shared` is not used with a cache.
std::shared_ptr<const PlannedModel> plan_with_cache(std::shared_ptr<const Model> original,
                                                    const Config& config,
                                                    const FallbackClock& clock = machine_clock(),
                                                    SharedByPlans* shared = nullptr);
// The same of a model in files, in two steps: what the cache has; null: the model has to be read.
std::shared_ptr<const PlannedModel> plan_from(ModelCache& cache, const Config& config);
// Made anew, and kept in the cache.
std::shared_ptr<const PlannedModel> plan_into(ModelCache& cache,
                                              std::shared_ptr<const Model> original,
                                              const Config& config,
                                              const FallbackClock& clock = machine_clock());
// Of what a file of a compiled model holds.
std::shared_ptr<const PlannedModel> plan_imported(PlanSource source, const Config& config);

}  // namespace fuseq::cpu
