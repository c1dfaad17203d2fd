// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/cache/cached_plan.hpp"

#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpu/kernels/float_conv/float_sums.hpp"
#include "cpu/plan/packed_table.hpp"

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

std::shared_ptr<const PlannedModel> loaded(PlanSource source,
                                           const Config& config,
                                           std::string status) {
    const Tensor table = source.float_sums;
    kernels::FloatSums sums(entries_of(table));
    std::shared_ptr<PlannedModel> planned = plan_from_source(std::move(source), config, &sums);
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
    PlanSource fresh = plan_source(*original, config, making.clock);
    PlanSource source = fresh;
    source.transformed.model = fresh.transformed.model->clone();  // releases its constants
    source.original = OriginalModel(std::move(original));
    if (making.keep_original) {
        fresh.original = source.original;
    }
    kernels::FloatSums sums({}, true);
    std::shared_ptr<PlannedModel> planned = plan_from_source(std::move(source), config, &sums);
    fresh.float_sums = bytes_of(sums.table());
    fresh.packed = packed_table(planned->plan);
    cache.store(fresh);
    planned->cache_status = cache.status();
    return planned;
}

}  // namespace

std::shared_ptr<const PlannedModel> plan_with_cache(std::shared_ptr<const Model> original,
                                                    const Config& config,
                                                    const FallbackClock& clock,
                                                    SharedByPlans* shared) {
    if (config.cache_dir.empty()) {
        return plan_model(std::move(original), config, clock, shared);
    }
    ModelCache cache(config, *original);
    if (std::optional<PlanSource> found = cache.load()) {
        found->original = OriginalModel(std::move(original));
        return loaded(std::move(*found), config, cache.status());
    }
    return made(cache, std::move(original), config, {.clock = clock, .keep_original = false});
}

std::shared_ptr<const PlannedModel> plan_from(ModelCache& cache, const Config& config) {
    std::optional<PlanSource> found = cache.load();
    return found ? loaded(std::move(*found), config, cache.status()) : nullptr;
}

std::shared_ptr<const PlannedModel> plan_into(ModelCache& cache,
                                              std::shared_ptr<const Model> original,
                                              const Config& config,
                                              const FallbackClock& clock) {
    return made(cache, std::move(original), config, {.clock = clock, .keep_original = true});
}

std::shared_ptr<const PlannedModel> plan_imported(PlanSource source, const Config& config) {
    return loaded(std::move(source), config, "imported");
}

}  // namespace fuseq::cpu
