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

#include "cpu/kernels/gemm/gemm_weights_cache.hpp"
#include "cpu/plan/builder.hpp"
#include "cpu/cache/blob.hpp"
#include "cpu/compile/config.hpp"
#include "cpu/compile/float_fallback.hpp"
#include "cpu/cache/model_cache.hpp"
#include "cpu/compile/original_model.hpp"
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
    PackedTable packed;  // weights of plans that are still there
    kernels::GemmWeightsCache gemm_weights;
};

// Of a model without open dimensions; looks into the model cache where the configuration names one.
// `clock`: what measures for FUSEQ_FLOAT_FALLBACK; not asked without it, and not at a hit.
std::shared_ptr<const PlannedModel> plan_model(std::shared_ptr<const Model> original,
                                               const Config& config,
                                               const FallbackClock& clock = machine_clock(),
                                               SharedByPlans* shared = nullptr);
// The same of a model in files, in two steps: what the cache has; nothing: the model has to be
// read.
std::shared_ptr<const PlannedModel> plan_from(ModelCache& cache, const Config& config);
// Made anew, and kept in the cache.
std::shared_ptr<const PlannedModel> plan_into(ModelCache& cache,
                                              std::shared_ptr<const Model> original,
                                              const Config& config,
                                              const FallbackClock& clock = machine_clock());
// Of what a file of a compiled model holds.
std::shared_ptr<const PlannedModel> plan_content(BlobContent content, const Config& config);

// The model with these shapes of its inputs, then of its variables, which are inputs and outputs of
// the result (ops/state/separate_state.hpp). Throws Error where a layer does not take them.
std::shared_ptr<const Model> with_shapes(const Model& model, const std::vector<Shape>& shapes);

}  // namespace fuseq::cpu
