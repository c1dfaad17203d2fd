// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plugin/compiled_model.hpp"

#include <algorithm>
#include <ostream>

#include "cpu/plan/expand_constants.hpp"
#include "cpu/plan/report.hpp"
#include "cpu/plan/split_weight_zero_points.hpp"
#include "cpu/plugin/compile_body.hpp"
#include "cpu/plugin/infer_request.hpp"
#include "cpu/plugin/model_cache.hpp"
#include "cpu/runtime/parallel.hpp"
#include "cpu/steps/gemm.hpp"
#include "cpu/steps/packed_step.hpp"
#include "ops/parameter.hpp"
#include "transformations/common/convert_precision.hpp"

namespace fuseq::cpu {
namespace {

bool has_dynamic_input(const Model& model) {
    return std::any_of(model.parameters().begin(), model.parameters().end(),
                       [](const Node* p) { return p->port(0).shape.is_dynamic(); });
}

// Sentences for the report.
std::vector<std::string> tuning_text(const Tuned& tuned) {
    std::vector<std::string> lines;
    if (!tuned.note.empty()) {
        lines.push_back(tuned.note);
    }
    for (const TunedAnchor& anchor : tuned.anchors) {
        lines.push_back(detail::cat(anchor.layer, ": ", anchor.best, " in ", anchor.best_us,
                                    " us, by the rules ", anchor.rules, " in ", anchor.rules_us,
                                    " us"));
    }
    return lines;
}

}  // namespace

CpuCompiledModel::CpuCompiledModel(std::shared_ptr<const Model> model, Config config)
    : original_(model->clone()), config_(std::move(config)) {
    if (config_.cache_dir.empty()) {
        BlobContent content;
        content.transformed = transform_for_cpu(*original_, config_);
        compile(std::move(content));
        return;
    }
    ModelCache cache(config_, *original_);
    std::optional<BlobContent> content = cache.load();
    from_cache_ = content.has_value();
    if (from_cache_) {
        compile(std::move(*content));
    } else {
        BlobContent fresh;
        fresh.transformed = transform_for_cpu(*original_, config_);
        BlobContent own = fresh;
        own.transformed.model = own.transformed.model->clone();  // planning gives up its constants
        compile(std::move(own));
        fresh.tuned = tuned_;
        if (!dynamic_) {
            fresh.packed = packed_table(plans_.front().plan->plan);
        }
        cache.store(fresh);
    }
    cache_status_ = cache.status();
}

CpuCompiledModel::CpuCompiledModel(BlobContent content, Config config)
    : original_(std::move(content.original)), config_(std::move(config)), from_cache_(true) {
    cache_status_ = "imported";
    compile(std::move(content));
}

void CpuCompiledModel::compile(BlobContent content) {
    threads_ = config_.threads_per_stream();
    transformed_ = std::move(content.transformed.model);
    ranges_ = std::move(content.transformed.ranges);
    remarks_ = std::move(content.transformed.remarks);
    tuned_ = std::move(content.tuned);
    dynamic_ = has_dynamic_input(*transformed_);
    if (dynamic_) {
        return;
    }
    prepare(*transformed_);
    if (config_.tune_ms > 0 && tuned_.note.empty()) {
        measure();
    }
    plans_.push_back({{}, make_plan(nullptr, &content.packed)});
}

void CpuCompiledModel::prepare(Model& model) const {
    expand_constants(model);
    split_weight_zero_points(model, [&](const Node& anchor) {
        return config_.own_gemm && gemm_takes_weight_zero_points(anchor);
    });
}

void CpuCompiledModel::measure() {
    const ThreadCount threads(threads_);
    try {
        tuned_ = tune(*transformed_, ranges_, build_options(),
                      std::chrono::milliseconds(config_.tune_ms));
    } catch (const Error& error) {  // of an operation that does not take made-up input
        tuned_.note = detail::cat("not measured: ", error.what());
    }
}

BuildOptions CpuCompiledModel::build_options() const {
    BuildOptions options;
    options.fuse = config_.fusion;
    options.own_gemm = config_.own_gemm;
    options.drop_middle_rounds = config_.drop_middle_rounds;
    options.show_hidden = config_.keep_intermediates;
    options.threads = config_.threads_to_compile();
    options.choices = tuned_.choices();
    options.compile_body = [this](const Model& body) { return compile_body(body, config_); };
    return options;
}

void CpuCompiledModel::export_model(std::ostream& out) const {
    BlobContent content;
    content.original = original_;
    // A plan has given up the constants of its model; the passes make them again.
    content.transformed = transform_for_cpu(*original_, config_);
    if (!dynamic_) {
        content.packed = packed_table(plans_.front().plan->plan);
    }
    content.tuned = tuned_;
    write_blob(out, expected_header(config_, key_of_model(*original_)), content);
    if (!out) {
        throw Error("export", "the stream does not take the bytes");
    }
}

std::shared_ptr<const PlannedModel> CpuCompiledModel::make_plan(const std::vector<Shape>* shapes,
                                                                const PackedTable* packed) const {
    const ThreadCount threads(threads_);
    auto planned = std::make_shared<PlannedModel>();
    planned->model = transformed_;
    if (shapes != nullptr) {
        planned->model = transformed_->clone();
        for (std::size_t i = 0; i < shapes->size(); ++i) {
            planned->model->parameters()[i]->attrs<ParameterAttrs>().shape = (*shapes)[i];
        }
        planned->model->validate();
        prepare(*planned->model);
    }
    BuildOptions options = build_options();
    options.give_up_weights = !dynamic_;
    options.packed = packed;
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
    plans_.push_back({shapes, make_plan(&shapes, nullptr)});
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
        return from_cache_;
    }
    if (name == "FUSEQ_CACHE") {
        return cache_status_;
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
                           {.remarks = remarks_,
                            .fuse = config_.fusion,
                            .cache = cache_status_,
                            .tuning = tuning_text(tuned_)});
    }
    if (name == property::kSupportedProperties) {
        std::vector<std::string> names = Config::names();
        names.insert(names.end(), {property::kNetworkName, property::kOptimalNumberOfInferRequests,
                                   property::kLoadedFromCache, property::kReport, "FUSEQ_CACHE",
                                   "FUSEQ_CACHED_PLANS", "FUSEQ_CACHED_PLAN_BYTES"});
        return names;
    }
    return config_.get(name);
}

}  // namespace fuseq::cpu
