// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plugin/compiled_model.hpp"

#include <algorithm>

#include "cpu/plan/expand_constants.hpp"
#include "cpu/plan/report.hpp"
#include "cpu/plugin/compile_body.hpp"
#include "cpu/plugin/infer_request.hpp"
#include "cpu/runtime/parallel.hpp"
#include "ops/parameter.hpp"
#include "transformations/common/convert_precision.hpp"

namespace fuseq::cpu {
namespace {

bool has_dynamic_input(const Model& model) {
    return std::any_of(model.parameters().begin(), model.parameters().end(),
                       [](const Node* p) { return p->port(0).shape.is_dynamic(); });
}

}  // namespace

CpuCompiledModel::CpuCompiledModel(std::shared_ptr<const Model> model, Config config)
    : original_(model->clone()), config_(std::move(config)) {
    threads_ = config_.threads_per_stream();
    transformed_ = original_->clone();
    PassOptions options;
    options.low_precision = config_.low_precision;
    options.disabled = config_.disabled;
    options.keep_float = config_.keep_float;
    options.dump_dir = config_.dump_dir;
    PassContext context(options);
    run_passes(*transformed_, context, common_passes());
    ranges_ = fake_quantize_ranges(*transformed_);
    if (config_.low_precision) {
        run_passes(*transformed_, context, low_precision_passes());
    }
    remarks_ = context.remarks();
    dynamic_ = has_dynamic_input(*transformed_);
    if (!dynamic_) {
        expand_constants(*transformed_);
        plans_.push_back({{}, make_plan(nullptr)});
    }
}

std::shared_ptr<const PlannedModel> CpuCompiledModel::make_plan(
    const std::vector<Shape>* shapes) const {
    const ThreadCount threads(threads_);
    auto planned = std::make_shared<PlannedModel>();
    planned->model = transformed_;
    if (shapes != nullptr) {
        planned->model = transformed_->clone();
        for (std::size_t i = 0; i < shapes->size(); ++i) {
            planned->model->parameters()[i]->attrs<ParameterAttrs>().shape = (*shapes)[i];
        }
        planned->model->validate();
        expand_constants(*planned->model);
    }
    BuildOptions options;
    options.fuse = config_.fusion;
    options.own_gemm = config_.own_gemm;
    options.drop_middle_rounds = config_.drop_middle_rounds;
    options.show_hidden = config_.keep_intermediates;
    options.compile_body = [this](const Model& body) { return compile_body(body, config_); };
    planned->plan = PlanBuilder(*planned->model, ranges_, options).build();
    return planned;
}

std::size_t CpuCompiledModel::cached_bytes() const {
    std::size_t total = 0;
    for (const Cached& cached : plans_) {
        total += cached.plan->plan.bytes();
    }
    return total;
}

std::shared_ptr<const PlannedModel> CpuCompiledModel::plan_for(const std::vector<Shape>& shapes) {
    const std::lock_guard lock(mutex_);
    if (!dynamic_) {
        return plans_.front().plan;
    }
    const auto it = std::find_if(plans_.begin(), plans_.end(),
                                 [&](const Cached& c) { return c.shapes == shapes; });
    if (it != plans_.end()) {
        std::rotate(it, it + 1, plans_.end());
        return plans_.back().plan;
    }
    plans_.push_back({shapes, make_plan(&shapes)});
    // The least recently used goes first. A request that is on it keeps it alive.
    while (plans_.size() > 1 &&
           cached_bytes() > static_cast<std::size_t>(config_.plan_cache_bytes)) {
        plans_.erase(plans_.begin());
    }
    return plans_.back().plan;
}

bool CpuCompiledModel::submit(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    if (!streams_) {
        streams_ = std::make_unique<Streams>(static_cast<std::size_t>(config_.streams()));
    }
    streams_->submit(std::move(task));
    return true;
}

std::shared_ptr<IInferRequest> CpuCompiledModel::create_infer_request() {
    return std::make_shared<CpuInferRequest>(shared_from_this());
}

Any CpuCompiledModel::get_property(const std::string& name) const {
    if (name == property::kNetworkName) {
        return original_->name();
    }
    if (name == property::kOptimalNumberOfInferRequests) {
        return config_.streams();
    }
    if (name == property::kLoadedFromCache) {
        return false;
    }
    if (name == "FUSEQ_CACHED_PLANS" || name == "FUSEQ_CACHED_PLAN_BYTES") {
        const std::lock_guard lock(mutex_);
        return name == "FUSEQ_CACHED_PLANS" ? plans_.size() : cached_bytes();
    }
    if (name == property::kReport) {
        const std::lock_guard lock(mutex_);
        if (plans_.empty()) {
            throw Error("property",
                        "the report of a dynamic model exists after its first inference");
        }
        return report_json(*original_, *plans_.back().plan->model, plans_.back().plan->plan,
                           {.remarks = remarks_, .fuse = config_.fusion});
    }
    if (name == property::kSupportedProperties) {
        std::vector<std::string> names = Config::names();
        names.insert(names.end(), {property::kNetworkName, property::kOptimalNumberOfInferRequests,
                                   property::kLoadedFromCache, property::kReport,
                                   "FUSEQ_CACHED_PLANS", "FUSEQ_CACHED_PLAN_BYTES"});
        return names;
    }
    return config_.get(name);
}

}  // namespace fuseq::cpu
