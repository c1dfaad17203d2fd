// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A model compiled for the CPU: the transformed Model and its plans, one a set of input shapes.
// Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "cpu/plan/builder.hpp"
#include "cpu/plugin/blob.hpp"
#include "cpu/plugin/config.hpp"
#include "cpu/runtime/streams.hpp"
#include "fuseq/plugin.hpp"
#include "transformations/pass.hpp"

namespace fuseq::cpu {

// A plan together with the Model that its steps refer to.
struct PlannedModel {
    std::shared_ptr<Model> model;
    Plan plan;
};

class CpuCompiledModel final : public ICompiledModel,
                               public std::enable_shared_from_this<CpuCompiledModel> {
public:
    // Looks into the model cache first, where the configuration names one.
    CpuCompiledModel(std::shared_ptr<const Model> model, Config config);
    // Of a file that export_model wrote.
    CpuCompiledModel(BlobContent content, Config config);

    std::shared_ptr<const Model> model() const override { return original_; }
    std::shared_ptr<IInferRequest> create_infer_request() override;
    Any get_property(const std::string& name) const override;

    void export_model(std::ostream& out) const override;
    bool submit(std::function<void()> task) override;

    const Config& config() const { return config_; }
    int threads() const { return threads_; }
    // The plan for these input shapes; made when it is not there yet. For a static model there is
    // one.
    std::shared_ptr<const PlannedModel> plan_for(const std::vector<Shape>& shapes);

private:
    void compile(BlobContent content);
    // What the plan needs beyond the transformations, with static shapes.
    void prepare(Model& model) const;
    void measure();
    BuildOptions build_options() const;
    std::shared_ptr<const PlannedModel> make_plan(const std::vector<Shape>* shapes,
                                                  const PackedTable* packed) const;
    std::size_t cached_bytes() const;

    std::shared_ptr<const Model> original_;
    Config config_;
    std::map<std::string, FakeQuantizeResult> ranges_;
    std::vector<Remark> remarks_;
    std::shared_ptr<Model> transformed_;
    bool dynamic_ = false;
    int threads_ = 1;  // of one stream
    Tuned tuned_;
    bool from_cache_ = false;
    std::string cache_status_ = "off";

    mutable std::mutex mutex_;
    struct Cached {
        std::vector<Shape> shapes;
        std::shared_ptr<const PlannedModel> plan;
    };
    std::vector<Cached> plans_;         // most recently used last
    std::unique_ptr<Streams> streams_;  // made with the first asynchronous request
};

}  // namespace fuseq::cpu
