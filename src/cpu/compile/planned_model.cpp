// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/planned_model.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpu/cache/model_cache.hpp"
#include "cpu/compile/plan_options.hpp"
#include "cpu/kernels/float_conv/float_sums.hpp"
#include "cpu/plan/packed_table.hpp"
#include "cpu/steps/packed_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/parameter.hpp"
#include "ops/state/separate_state.hpp"

namespace fuseq::cpu {
namespace {

// The table is that of this build: the file says which one has written it.
std::span<const kernels::FloatSums::Entry> entries_of(const Tensor& bytes) {
    using Entry = kernels::FloatSums::Entry;
    static_assert(std::is_trivially_copyable_v<Entry> && alignof(Entry) <= 64);
    return bytes ? std::span(static_cast<const Entry*>(bytes.data()),
                             bytes.get_byte_size() / sizeof(Entry))
                 : std::span<const Entry>();
}

Tensor bytes_of(const std::vector<kernels::FloatSums::Entry>& table) {
    if (table.empty()) {
        return {};
    }
    Tensor bytes(ElementType::u8, Shape{table.size() * sizeof table[0]});
    std::memcpy(bytes.data(), table.data(), bytes.get_byte_size());
    return bytes;
}

std::shared_ptr<PlannedModel> make_planned(BlobContent content,
                                           const Config& config,
                                           kernels::FloatSums* sums = nullptr,
                                           SharedByPlans* shared = nullptr) {
    const ThreadCount threads(config.threads_per_stream());
    auto planned = std::make_shared<PlannedModel>();
    planned->original = std::move(content.original);
    planned->transformed = std::move(content.transformed);
    planned->fallback = std::move(content.fallback);
    prepare_to_plan(*planned->transformed.model, config);
    BuildOptions options = build_options(config);
    options.release_weights = true;
    options.packed = &content.packed;
    if (shared != nullptr) {
        options.constants = &shared->constants;
        options.gemm_weights = &shared->gemm_weights;
    }
    options.float_sums = sums;
    planned->plan =
        PlanBuilder(*planned->transformed.model, planned->transformed.ranges, options).build();
    return planned;
}

BlobContent transformed_content(const Model& original,
                                const Config& config,
                                const FallbackClock& clock,
                                SharedByPlans* shared = nullptr) {
    BlobContent content;
    if (config.float_fallback) {
        const ThreadCount threads(config.threads_per_stream());
        content.fallback = choose_float(original, config, clock);
    }
    content.transformed = transform_with(original, config, content.fallback,
                                         shared != nullptr ? &shared->constants : nullptr);
    return content;
}

std::shared_ptr<const PlannedModel> loaded(BlobContent content,
                                           const Config& config,
                                           std::string status) {
    const Tensor table = content.float_sums;
    kernels::FloatSums sums(entries_of(table));
    std::shared_ptr<PlannedModel> planned = make_planned(std::move(content), config, &sums);
    planned->from_cache = true;
    planned->cache_status = std::move(status);
    return planned;
}

struct Making {
    const FallbackClock& clock;
    bool keep_original;  // in the file
};

std::shared_ptr<const PlannedModel> made(ModelCache& cache,
                                         std::shared_ptr<const Model> original,
                                         const Config& config,
                                         const Making& making) {
    BlobContent fresh = transformed_content(*original, config, making.clock);
    BlobContent content = fresh;
    content.transformed.model = fresh.transformed.model->clone();  // gives up its constants
    content.original = OriginalModel(std::move(original));
    if (making.keep_original) {
        fresh.original = content.original;
    }
    kernels::FloatSums sums({}, true);
    std::shared_ptr<PlannedModel> planned = make_planned(std::move(content), config, &sums);
    fresh.float_sums = bytes_of(sums.table());
    fresh.packed = packed_table(planned->plan);
    cache.store(fresh);
    planned->cache_status = cache.status();
    return planned;
}

}  // namespace

bool has_open_shapes(const Model& model) {
    return std::any_of(model.parameters().begin(), model.parameters().end(),
                       [](const Node* p) { return p->port(0).shape.is_dynamic(); }) ||
           may_grow(variables_of(model));
}

std::shared_ptr<const PlannedModel> plan_model(std::shared_ptr<const Model> original,
                                               const Config& config,
                                               const FallbackClock& clock,
                                               SharedByPlans* shared) {
    if (config.cache_dir.empty()) {
        BlobContent content = transformed_content(*original, config, clock, shared);
        content.original = OriginalModel(std::move(original));
        if (shared != nullptr) {
            content.packed = shared->packed;
        }
        return make_planned(std::move(content), config, nullptr, shared);
    }
    ModelCache cache(config, *original);
    if (std::optional<BlobContent> found = cache.load()) {
        found->original = OriginalModel(std::move(original));
        return loaded(std::move(*found), config, cache.status());
    }
    return made(cache, std::move(original), config, {.clock = clock, .keep_original = false});
}

std::shared_ptr<const PlannedModel> plan_from(ModelCache& cache, const Config& config) {
    std::optional<BlobContent> found = cache.load();
    return found ? loaded(std::move(*found), config, cache.status()) : nullptr;
}

std::shared_ptr<const PlannedModel> plan_into(ModelCache& cache,
                                              std::shared_ptr<const Model> original,
                                              const Config& config,
                                              const FallbackClock& clock) {
    return made(cache, std::move(original), config, {.clock = clock, .keep_original = true});
}

std::shared_ptr<const PlannedModel> plan_content(BlobContent content, const Config& config) {
    return loaded(std::move(content), config, "imported");
}

std::shared_ptr<const Model> with_shapes(const Model& model, const std::vector<Shape>& shapes) {
    std::shared_ptr<Model> result = model.clone();
    separate_state(*result);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        result->parameters()[i]->attrs<ParameterAttrs>().shape = shapes[i];
    }
    result->validate();
    return result;
}

}  // namespace fuseq::cpu
