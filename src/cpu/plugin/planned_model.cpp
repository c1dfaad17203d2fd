// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plugin/planned_model.hpp"

#include <algorithm>
#include <utility>

#include "cpu/plugin/model_cache.hpp"
#include "cpu/plugin/plan_options.hpp"
#include "cpu/runtime/parallel.hpp"
#include "cpu/steps/packed_step.hpp"
#include "ops/parameter.hpp"

namespace fuseq::cpu {
namespace {

Tuned measured(const Transformed& transformed, const Config& config) {
    Tuned tuned;
    try {
        tuned = tune(*transformed.model, transformed.ranges, build_options(config),
                     std::chrono::milliseconds(config.tune_ms));
    } catch (const Error& error) {  // of an operation that does not take made-up input
        tuned.note = detail::cat("not measured: ", error.what());
    }
    return tuned;
}

std::shared_ptr<PlannedModel> make_planned(std::shared_ptr<const Model> original,
                                           BlobContent content,
                                           const Config& config) {
    const ThreadCount threads(config.threads_per_stream());
    auto planned = std::make_shared<PlannedModel>();
    planned->original = std::move(original);
    planned->transformed = std::move(content.transformed);
    planned->tuned = std::move(content.tuned);
    planned->fallback = std::move(content.fallback);
    prepare_to_plan(*planned->transformed.model, config);
    if (config.tune_ms > 0 && planned->tuned.note.empty()) {
        planned->tuned = measured(planned->transformed, config);
    }
    BuildOptions options = build_options(config);
    options.choices = planned->tuned.choices();
    options.give_up_weights = true;
    options.packed = &content.packed;
    planned->plan =
        PlanBuilder(*planned->transformed.model, planned->transformed.ranges, options).build();
    return planned;
}

BlobContent transformed_content(const Model& original,
                                const Config& config,
                                const FallbackClock& clock) {
    BlobContent content;
    if (config.float_fallback) {
        const ThreadCount threads(config.threads_per_stream());
        content.fallback = choose_float(original, config, clock);
    }
    content.transformed = transform_with(original, config, content.fallback);
    return content;
}

}  // namespace

bool has_dynamic_input(const Model& model) {
    return std::any_of(model.parameters().begin(), model.parameters().end(),
                       [](const Node* p) { return p->port(0).shape.is_dynamic(); });
}

std::shared_ptr<const PlannedModel> plan_model(std::shared_ptr<const Model> original,
                                               const Config& config,
                                               const FallbackClock& clock) {
    BlobContent content;
    if (config.cache_dir.empty()) {
        content = transformed_content(*original, config, clock);
        return make_planned(std::move(original), std::move(content), config);
    }
    ModelCache cache(config, *original);
    std::optional<BlobContent> found = cache.load();
    std::shared_ptr<PlannedModel> planned;
    if (found) {
        planned = make_planned(std::move(original), std::move(*found), config);
        planned->from_cache = true;
    } else {
        BlobContent fresh = transformed_content(*original, config, clock);
        content = fresh;
        content.transformed.model = fresh.transformed.model->clone();  // gives up its constants
        planned = make_planned(std::move(original), std::move(content), config);
        fresh.tuned = planned->tuned;
        fresh.packed = packed_table(planned->plan);
        cache.store(fresh);
    }
    planned->cache_status = cache.status();
    return planned;
}

std::shared_ptr<const PlannedModel> plan_content(BlobContent content, const Config& config) {
    std::shared_ptr<const Model> original = content.original;
    std::shared_ptr<PlannedModel> planned =
        make_planned(std::move(original), std::move(content), config);
    planned->from_cache = true;
    planned->cache_status = "imported";
    return planned;
}

std::shared_ptr<const Model> with_shapes(const Model& model, const std::vector<Shape>& shapes) {
    std::shared_ptr<Model> result = model.clone();
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        result->parameters()[i]->attrs<ParameterAttrs>().shape = shapes[i];
    }
    result->validate();
    return result;
}

}  // namespace fuseq::cpu
