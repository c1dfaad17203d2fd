// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A model of known input shapes, transformed and planned. A model with open dimensions has one for
// each set of shapes, made as if the model had been read with these shapes: the same passes, the
// same plan, the same bytes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cpu/compile/config.hpp"
#include "cpu/compile/open_passes.hpp"
#include "cpu/compile/plan_source.hpp"
#include "cpu/kernels/float_conv/float_sums.hpp"
#include "cpu/kernels/gemm/gemm_weights_cache.hpp"
#include "cpu/plan/plan.hpp"
#include "cpu/plan/shared_groups.hpp"
#include "transformations/support/constant_cache.hpp"

namespace fuseq::cpu {

struct PlannedModel {
    OriginalModel original;
    Transformed transformed;  // its Model is what the steps of the plan refer to
    FloatFallback fallback;
    Plan plan;
    std::string cache_status = "off";  // what the model cache did
    bool from_cache = false;
};

// Some input or variable has an open dimension.
bool has_open_shapes(const Model& model);

// What the plans of one model for several sets of input shapes share. One plan is made at a time.
struct SharedByPlans {
    explicit SharedByPlans(const Model& original) : constants(original) {}
    ConstantCache constants;
    OpenPasses passes;
    PackedTable packed;  // weights of plans that are still there
    kernels::GemmWeightsCache gemm_weights;
    SharedGroups groups;
};

// Runs the passes on a model without open dimensions, and measures what FUSEQ_FLOAT_FALLBACK asks
// for by `clock`, which is not asked without it. Of the original only what is made of it.
PlanSource plan_source(const Model& original,
                       const Config& config,
                       const FallbackClock& clock = machine_clock(),
                       SharedByPlans* shared = nullptr);
// `sums`: a table of sums that are known, or that is to be filled; null: none.
std::shared_ptr<PlannedModel> plan_from_source(PlanSource source,
                                               const Config& config,
                                               kernels::FloatSums* sums = nullptr,
                                               SharedByPlans* shared = nullptr);
// Both. Knows of no model cache: see cache/cached_plan.hpp.
std::shared_ptr<const PlannedModel> plan_model(std::shared_ptr<const Model> original,
                                               const Config& config,
                                               const FallbackClock& clock = machine_clock(),
                                               SharedByPlans* shared = nullptr);

// The same of an open model for these shapes, by with_shapes(). What reports show of the model
// before the passes is made again when it is asked for.
std::shared_ptr<const PlannedModel> plan_model(const std::shared_ptr<const Model>& open,
                                               const std::vector<Shape>& shapes,
                                               const Config& config,
                                               SharedByPlans& shared);

}  // namespace fuseq::cpu
