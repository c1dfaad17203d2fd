// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A model compiled for the CPU: its plans, one a set of input shapes.
// Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "cpu/compile/planned_model.hpp"
#include "cpu/compile/plans_by_shape.hpp"
#include "cpu/threading/stream_slots.hpp"
#include "fuseq/plugin.hpp"
#include "fuseq/variable_state.hpp"
#include "model/task_threads.hpp"

namespace fuseq::cpu {

class CpuCompiledModel final : public ICompiledModel,
                               public std::enable_shared_from_this<CpuCompiledModel> {
public:
    // Looks into the model cache first, where the configuration names one.
    CpuCompiledModel(std::shared_ptr<const Model> model, Config config);
    // Of a model whose plan is made; it has no open dimensions.
    CpuCompiledModel(std::shared_ptr<const PlannedModel> planned, Config config);
    // Of a file that export_model wrote.
    CpuCompiledModel(PlanSource content, Config config);

    std::shared_ptr<const Model> model() const override { return original_.model(); }
    std::shared_ptr<const Model> ports() const override { return original_.ports(); }
    std::shared_ptr<IInferRequest> create_infer_request() override;
    Any get_property(const std::string& name) const override;

    void export_model(std::ostream& out) const override;
    bool submit(std::function<void()> task) override;

    const Config& config() const { return config_; }
    const Placement& placement() const { return placement_; }
    // Of the requests that run at the same time.
    StreamSlots& slots() { return slots_; }
    // Whether plans are made for the shapes of inputs that come.
    bool is_dynamic() const { return dynamic_; }
    // The plan for these shapes of inputs, then of variables; made when it is not there yet. For a
    // static model there is one.
    std::shared_ptr<const PlannedModel> plan_for(const std::vector<Shape>& shapes);

    const std::vector<Variable>& variables() const { return variables_; }
    // What computes initial values of variables.
    struct Initial {
        std::shared_ptr<CpuCompiledModel> model;
        std::vector<std::size_t> variables;
    };
    // In the order in which they are computed; compiled when they are asked for first.
    const std::vector<Initial>& initial();

private:
    std::size_t cached_bytes() const;
    std::shared_ptr<const PlannedModel> plan_for_shapes(const std::vector<Shape>& shapes);
    void drop_old_plans();
    std::string cache_before_shapes() const;

    OriginalModel original_;
    Config config_;
    Placement placement_;
    StreamSlots slots_;
    bool dynamic_;
    bool imported_ = false;

    mutable std::mutex mutex_;
    PlansByShape plans_;
    std::unique_ptr<SharedByPlans> shared_;  // null for a static model

    std::vector<Variable> variables_;
    std::once_flag initial_compiled_;
    std::vector<Initial> initial_;

    TaskThreads streams_{static_cast<std::size_t>(placement_.streams)};
};

}  // namespace fuseq::cpu
