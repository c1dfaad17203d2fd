// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/compile_body.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "cpu/compile/plan_options.hpp"
#include "cpu/compile/planned_model.hpp"
#include "cpu/exec/bound_plan.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

bool has_static_parameters(const Model& body) {
    return std::all_of(body.parameters().begin(), body.parameters().end(),
                       [](const Node* p) { return p->port(0).shape.is_static(); });
}

std::string summary_of(const Plan& plan) {
    std::size_t anchors = 0;
    std::size_t integer = 0;
    for (const auto& step : plan.steps) {
        if (is_anchor_kind(step->info().kind)) {
            ++anchors;
            integer += step->info().quantized ? 1 : 0;
        }
    }
    return fmt::format("{} steps, {} of {} convolutions and matmuls on integers", plan.steps.size(),
                       integer, anchors);
}

// What a run leaves is overwritten by the next one.
Tensor copy_of(const Tensor& tensor) {
    Tensor copy(tensor.get_element_type(), tensor.get_shape());
    tensor.copy_to(copy);
    return copy;
}

// Memory of one request for the plan of a body.
class BodyRun {
public:
    BodyRun(std::shared_ptr<const PlannedModel> planned, const Config& config)
        : planned_(std::move(planned)), placement_(config.placement()), poison_(config.poison) {
        const Plan& plan = planned_->plan;
        inputs_.resize(plan.inputs.size());
        for (const TensorId id : plan.outputs) {
            const PlanTensor& tensor = plan.tensors[id];
            outputs_.emplace_back(tensor.type, tensor.shape.is_static() ? tensor.dims() : Shape{0});
        }
    }

    // Those of the request that runs the body; else it has its own. Before the first run.
    void keep_states_in(KernelStates& states) { states_ = &states; }

    std::vector<Tensor> run(std::span<const Tensor> inputs) {
        const ThreadCount threads(placement_.threads, placement_.uneven);
        std::copy(inputs.begin(), inputs.end(), inputs_.begin());
        if (!bound_) {
            bound_.emplace(planned_->plan, inputs_, outputs_, states_);
        }
        if (poison_ >= 0) {
            bound_->poison(poison_);
        }
        bound_->run();
        std::vector<Tensor> results;
        for (std::size_t i = 0; i < outputs_.size(); ++i) {
            results.push_back(
                copy_of(bound_->is_output_apart(i) ? bound_->output(i) : outputs_[i]));
        }
        return results;
    }

private:
    std::shared_ptr<const PlannedModel> planned_;
    Placement placement_;
    int poison_;
    std::vector<Tensor> inputs_;
    std::vector<Tensor> outputs_;
    KernelStates own_states_;
    KernelStates* states_ = &own_states_;
    std::optional<BoundPlan> bound_;
};

}  // namespace

std::optional<CompiledBody> compile_body(const Model& body, const Config& outer) {
    if (!has_static_parameters(body)) {
        return std::nullopt;
    }
    const Config config = config_of_part(outer);
    const std::shared_ptr<const PlannedModel> planned = plan_model(body.clone(), config);
    CompiledBody made;
    made.summary = summary_of(planned->plan);
    made.bytes = planned->plan.bytes();
    made.bind = [planned, config]() -> BodyFunction {
        const auto body_run = std::make_shared<BodyRun>(planned, config);
        return BodyWithStates{
            [body_run](std::span<const Tensor> inputs) { return body_run->run(inputs); },
            [body_run](KernelStates& states) { body_run->keep_states_in(states); }};
    };
    return made;
}

}  // namespace fuseq::cpu
