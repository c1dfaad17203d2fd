// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plugin/planned_model.hpp"

#include <algorithm>
#include <utility>

#include "cpu/plan/expand_constants.hpp"
#include "cpu/plan/split_weight_zero_points.hpp"
#include "cpu/plugin/compile_body.hpp"
#include "cpu/plugin/model_cache.hpp"
#include "cpu/runtime/parallel.hpp"
#include "cpu/steps/gemm.hpp"
#include "cpu/steps/packed_step.hpp"
#include "ops/parameter.hpp"

namespace fuseq::cpu {
namespace {

BuildOptions build_options(const Config& config, const Tuned& tuned) {
    BuildOptions options;
    options.fuse = config.fusion;
    options.own_gemm = config.own_gemm;
    options.row_walks = config.row_walks;
    options.drop_middle_rounds = config.drop_middle_rounds;
    options.show_hidden = config.keep_intermediates;
    options.threads = config.threads_to_compile();
    options.choices = tuned.choices();
    options.compile_body = [&config](const Model& body) { return compile_body(body, config); };
    return options;
}

Tuned measured(const Transformed& transformed, const Config& config) {
    Tuned tuned;
    try {
        tuned = tune(*transformed.model, transformed.ranges, build_options(config, {}),
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
    expand_constants(*planned->transformed.model);
    split_weight_zero_points(*planned->transformed.model, [&](const Node& anchor) {
        return config.own_gemm && gemm_takes_weight_zero_points(anchor);
    });
    if (config.tune_ms > 0 && planned->tuned.note.empty()) {
        planned->tuned = measured(planned->transformed, config);
    }
    BuildOptions options = build_options(config, planned->tuned);
    options.give_up_weights = true;
    options.packed = &content.packed;
    planned->plan =
        PlanBuilder(*planned->transformed.model, planned->transformed.ranges, options).build();
    return planned;
}

}  // namespace

bool has_dynamic_input(const Model& model) {
    return std::any_of(model.parameters().begin(), model.parameters().end(),
                       [](const Node* p) { return p->port(0).shape.is_dynamic(); });
}

std::shared_ptr<const PlannedModel> plan_model(std::shared_ptr<const Model> original,
                                               const Config& config) {
    BlobContent content;
    if (config.cache_dir.empty()) {
        content.transformed = transform_for_cpu(*original, config);
        return make_planned(std::move(original), std::move(content), config);
    }
    ModelCache cache(config, *original);
    std::optional<BlobContent> found = cache.load();
    std::shared_ptr<PlannedModel> planned;
    if (found) {
        planned = make_planned(std::move(original), std::move(*found), config);
        planned->from_cache = true;
    } else {
        BlobContent fresh;
        fresh.transformed = transform_for_cpu(*original, config);
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
