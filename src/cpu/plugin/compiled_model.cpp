// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plugin/compiled_model.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/core.h>

#include "cpu/cache/cached_plan.hpp"
#include "cpu/compile/plan_options.hpp"
#include "cpu/machine/isa_limit.hpp"
#include "cpu/plan/execution_graph.hpp"
#include "cpu/plan/packed_table.hpp"
#include "cpu/plan/report.hpp"
#include "cpu/plugin/infer_request.hpp"
#include "model/execution_graph_json.hpp"
#include "ops/state/separate_state.hpp"

namespace fuseq::cpu {
namespace {

std::vector<FallbackRow> fallback_rows(const FloatFallback& fallback) {
    std::vector<FallbackRow> rows;
    rows.reserve(fallback.layers.size());
    for (const FallbackLayer& layer : fallback.layers) {
        rows.push_back({layer.layer, layer.int8_us, layer.float_us, layer.code, reason_of(layer)});
    }
    return rows;
}

std::string report_of(const PlannedModel& planned,
                      const Config& config,
                      const std::vector<Variable>& variables) {
    return report_json(
        *planned.original.model(), *planned.transformed.model, planned.plan,
        {.remarks = planned.transformed.remarks_left_out
                        ? transform_for_cpu(*planned.original.model(), config).remarks
                        : planned.transformed.remarks,
         .fuse = config.fusion,
         .cache = planned.cache_status,
         .variables = variables,
         .fallback = fallback_rows(planned.fallback),
         .fallback_note = planned.fallback.note,
         .laws = {.drop_middle_rounds = config.drop_middle_rounds}});
}

constexpr const char* kPlacement = "FUSEQ_PLACEMENT";

// Plans of a model whose variables grow: each inference may bring a new shape, and what a plan
// costs besides its tensors is not in Plan::bytes().
constexpr std::size_t kMaxOfGrowing = 64;

Config without_cache(Config config) {
    config.cache_dir.clear();
    return config;
}

}  // namespace

CpuCompiledModel::CpuCompiledModel(std::shared_ptr<const Model> model, Config config)
    : original_(std::move(model)),
      config_(std::move(config)),
      placement_(config_.placement()),
      slots_(static_cast<std::size_t>(placement_.streams)),
      dynamic_(has_open_shapes(*original_.ports())),
      variables_(variables_of(*original_.ports())) {
    if (!dynamic_) {
        plans_.add({}, plan_with_cache(original_.model(), config_));
    }
}

CpuCompiledModel::CpuCompiledModel(std::shared_ptr<const PlannedModel> planned, Config config)
    : original_(planned->original),
      config_(std::move(config)),
      placement_(config_.placement()),
      slots_(static_cast<std::size_t>(placement_.streams)),
      dynamic_(false),
      variables_(variables_of(*original_.ports())) {
    plans_.add({}, std::move(planned));
}

CpuCompiledModel::CpuCompiledModel(PlanSource content, Config config)
    : original_(content.original),
      config_(std::move(config)),
      placement_(config_.placement()),
      slots_(static_cast<std::size_t>(placement_.streams)),
      dynamic_(has_open_shapes(*original_.ports())),
      imported_(true),
      variables_(variables_of(*original_.ports())) {
    if (!dynamic_) {
        plans_.add({}, plan_imported(std::move(content), config_));
    }
}

void CpuCompiledModel::export_model(std::ostream& out) const {
    PlanSource content;
    content.original = original_;
    if (dynamic_) {
        content.transformed.model =
            original_.model()->clone();  // the passes run when shapes are known
    } else {
        // A plan has released the constants of its model; the passes make them again.
        const PlannedModel& planned = *plans_.last();
        content.transformed = transform_with(*original_.model(), config_, planned.fallback);
        content.packed = packed_table(planned.plan);
        content.fallback = planned.fallback;
    }
    write_blob(out, expected_header(config_, key_of_model(*original_.model(), 1)), content);
    if (!out) {
        throw Error("export", "the stream does not take the bytes");
    }
}

std::string CpuCompiledModel::cache_before_shapes() const {
    if (imported_) {
        return "imported";
    }
    if (may_grow(variables_) && !config_.cache_dir.empty()) {
        return "off: a variable has open dimensions, and each of its shapes would be a file";
    }
    return config_.cache_dir.empty() ? "off" : "waits for the shapes of the first inference";
}

std::size_t CpuCompiledModel::cached_bytes() const {
    return plans_.bytes() + (shared_ ? shared_->constants.bytes() : 0);
}

std::shared_ptr<const PlannedModel> CpuCompiledModel::plan_for(const std::vector<Shape>& shapes) {
    const std::lock_guard lock(mutex_);
    if (!dynamic_) {
        return plans_.last();
    }
    if (auto known = plans_.find(shapes)) {
        return known;
    }
    if (!shared_) {
        shared_ = std::make_unique<SharedByPlans>(*original_.model());
    }
    plans_.add(shapes, plan_for_shapes(shapes));
    PlansByShape::share(*plans_.last(), *shared_);
    drop_old_plans();
    return plans_.last();
}

std::shared_ptr<const PlannedModel> CpuCompiledModel::plan_for_shapes(
    const std::vector<Shape>& shapes) {
    const bool stored = !config_.cache_dir.empty() && !may_grow(variables_);
    if (!stored) {
        return plan_model(original_.model(), shapes, without_cache(config_), *shared_);
    }
    return plan_with_cache(with_shapes(*original_.model(), shapes), config_, machine_clock(),
                           shared_.get());
}

// A request that uses a plan keeps it alive.
void CpuCompiledModel::drop_old_plans() {
    const std::size_t max_plans = may_grow(variables_) ? kMaxOfGrowing : SIZE_MAX;
    const auto limit = static_cast<std::size_t>(config_.plan_cache_bytes);
    const std::size_t constants = shared_->constants.bytes();
    const std::size_t before = plans_.size();
    plans_.drop(max_plans, limit - std::min(limit, constants));
    if (plans_.size() != before) {
        plans_.forget_unused(*shared_);
    }
}

const std::vector<CpuCompiledModel::Initial>& CpuCompiledModel::initial() {
    std::call_once(initial_compiled_, [&] {
        std::vector<Initial> compiled;
        for (InitialValues& values : initial_values(*original_.model())) {
            compiled.push_back({std::make_shared<CpuCompiledModel>(std::move(values.model),
                                                                   config_of_part(config_)),
                                std::move(values.variables)});
        }
        initial_ = std::move(compiled);
    });
    return initial_;
}

bool CpuCompiledModel::submit(std::function<void()> task) {
    streams_.submit(std::move(task));
    return true;
}

std::shared_ptr<IInferRequest> CpuCompiledModel::create_infer_request() {
    return std::make_shared<CpuInferRequest>(shared_from_this());
}

Any CpuCompiledModel::get_property(const std::string& name) const {
    if (name == property::kNetworkName) {
        return original_.ports()->name();
    }
    if (name == kIsa) {
        return std::string(to_string(isa_level()));
    }
    if (name == "EXECUTION_DEVICES") {
        return std::vector<std::string>{"CPU"};
    }
    if (name == property::kOptimalNumberOfInferRequests) {
        return placement_.streams;
    }
    if (name == kPlacement) {
        return placement_.why;
    }
    if (name == property::kLoadedFromCache || name == "FUSEQ_CACHE") {
        const std::lock_guard lock(mutex_);
        // Of the plan used last; without any there was nothing to look up.
        const PlannedModel* last = plans_.empty() ? nullptr : plans_.last().get();
        if (name == property::kLoadedFromCache) {
            return last != nullptr ? last->from_cache : imported_;
        }
        return last != nullptr ? last->cache_status : cache_before_shapes();
    }
    if (name == "FUSEQ_CACHED_PLANS" || name == "FUSEQ_CACHED_PLAN_BYTES") {
        const std::lock_guard lock(mutex_);
        return name == "FUSEQ_CACHED_PLANS" ? plans_.size() : cached_bytes();
    }
    if (name == property::kReport || name == kExecutionGraph) {
        const std::lock_guard lock(mutex_);
        if (plans_.empty()) {
            throw Error("property",
                        fmt::format("the {} of a dynamic model exists after its first inference",
                                    name == kExecutionGraph ? "execution graph" : "report"));
        }
        const PlannedModel& last = *plans_.last();
        if (name == kExecutionGraph) {
            return execution_graph_json(*last.transformed.model, last.plan);
        }
        return report_of(last, config_, variables_);
    }
    const std::vector<std::string> read_only = {property::kSupportedProperties,
                                                property::kNetworkName,
                                                property::kOptimalNumberOfInferRequests,
                                                "EXECUTION_DEVICES",
                                                property::kLoadedFromCache,
                                                property::kReport,
                                                kExecutionGraph,
                                                kIsa,
                                                kPlacement,
                                                "FUSEQ_CACHE",
                                                "FUSEQ_CACHED_PLANS",
                                                "FUSEQ_CACHED_PLAN_BYTES"};
    if (name == property::kSupportedProperties) {
        std::vector<std::string> names = Config::names();
        names.insert(names.end(), read_only.begin(), read_only.end());
        return names;
    }
    return config_.get(name, read_only);
}

}  // namespace fuseq::cpu
