// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plugin/infer_request.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cpu/threading/parallel.hpp"
#include "cpu/threading/placed_threads.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {

CpuInferRequest::CpuInferRequest(std::shared_ptr<CpuCompiledModel> model)
    : model_(std::move(model)), variables_(model_->variables()) {
    const std::shared_ptr<const Model> ports = model_->ports();
    const Model& graph = *ports;
    for (const Output& port : graph.inputs()) {
        inputs_.push_back(make_port_tensor(port));
    }
    for (const Output& port : graph.outputs()) {
        outputs_.push_back(make_port_tensor(port));
    }
    model_inputs_ = inputs_.size();
    model_outputs_ = outputs_.size();
    user_output_.assign(outputs_.size(), false);
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        inputs_.push_back(variables_.value(i));
        outputs_.push_back(variables_.value(i));  // gets its memory when the plan says the shape
    }
}

void CpuInferRequest::set_input(std::size_t index, const Tensor& tensor) {
    inputs_.at(index) = tensor;
}

void CpuInferRequest::set_output(std::size_t index, const Tensor& tensor) {
    outputs_.at(index) = tensor;
    user_output_[index] = true;
}

Tensor CpuInferRequest::get_input(std::size_t index) {
    return inputs_.at(index);
}

Tensor CpuInferRequest::get_output(std::size_t index) {
    return outputs_.at(index);
}

void CpuInferRequest::bind(std::shared_ptr<const PlannedModel> plan) {
    Arena arena = bound_ ? bound_->arena() : Arena{};
    bound_.reset();  // refers to the plan
    bound_ = std::make_unique<BoundPlan>(plan->plan, inputs_, outputs_, &states_, std::move(arena));
    plan_ = std::move(plan);
}

// The plan for the shapes of this inference, and outputs of the right size.
void CpuInferRequest::prepare() {
    if (!bound_ || model_->is_dynamic()) {  // a model with fixed shapes has one plan
        std::vector<Shape> shapes;
        for (const Tensor& input : inputs_) {
            shapes.push_back(input.get_shape());
        }
        auto plan = model_->plan_for(shapes);
        if (!bound_ || plan != plan_) {
            bind(std::move(plan));
        }
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        if (const std::optional<Shape>& shape = bound_->output_shape(i)) {
            prepare_output(i, *shape);
        }
    }
}

void CpuInferRequest::prepare_output(std::size_t index, const Shape& shape) {
    if (index >= model_outputs_) {
        outputs_[index] = variables_.next(index - model_outputs_, shape);
    } else if (outputs_[index].get_shape() != shape) {
        outputs_[index].set_shape(shape);
    }
}

// Variables that were reset get their initial values from models of their own, which are not run
// in other inferences.
void CpuInferRequest::compute_initial() {
    const std::vector<CpuCompiledModel::Initial>& initial = model_->initial();
    initial_.resize(initial.size());
    for (std::size_t level = 0; level < initial.size(); ++level) {
        const std::vector<std::size_t>& variables = initial[level].variables;
        if (std::none_of(variables.begin(), variables.end(),
                         [&](std::size_t v) { return variables_.needs_initial(v); })) {
            continue;
        }
        if (!initial_[level]) {
            initial_[level] = std::make_unique<CpuInferRequest>(initial[level].model);
        }
        CpuInferRequest& request = *initial_[level];
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            request.set_input(i,
                              i < model_inputs_ ? inputs_[i] : variables_.value(i - model_inputs_));
        }
        request.infer();
        for (std::size_t i = 0; i < variables.size(); ++i) {
            if (variables_.needs_initial(variables[i])) {
                variables_.set_initial(variables[i], request.get_output(i));
            }
        }
    }
}

void CpuInferRequest::read_state() {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        if (variables_.needs_initial(i)) {
            compute_initial();
            break;
        }
    }
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        inputs_[model_inputs_ + i] = variables_.value(i);
    }
}

void CpuInferRequest::run_steps() {
    const Config& config = model_->config();
    if (config.poison >= 0) {
        bound_->poison(config.poison);
    }
    if (config.keep_intermediates) {
        intermediates_.clear();
        bound_->run_step_by_step([&](const Step& step) {
            append_results(plan_->plan, step, bound_->memory(), intermediates_);
        });
    } else if (config.perf_count) {
        bound_->run_timed();
    } else {
        bound_->run();
    }
}

void CpuInferRequest::infer() {
    const Placement& placement = model_->placement();
    const ThreadCount threads(placement.threads, placement.uneven);
    std::optional<StreamSlot> slot;  // requests share nothing where no stream has a place
    if (!placement.places.empty()) {
        slot.emplace(model_->slots());
    }
    static const StreamPlace kAnywhere;
    const PlacedThreads placed(slot ? placement.places[slot->stream()] : kAnywhere);
    read_state();
    prepare();
    run_steps();
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        if (!bound_->is_output_apart(i)) {
            continue;
        }
        const Tensor result = bound_->output(i);
        if (i >= model_outputs_) {
            prepare_output(i, result.get_shape());
            result.copy_to(outputs_[i]);
        } else if (user_output_[i]) {
            result.copy_to(outputs_[i]);
        } else {
            outputs_[i] = result;
        }
    }
    variables_.commit();
}

std::vector<ProfilingInfo> CpuInferRequest::get_profiling_info() const {
    std::vector<ProfilingInfo> infos;
    if (!bound_) {
        return infos;
    }
    const std::vector<double>& times = bound_->times_us();
    for (std::size_t i = 0; i < times.size(); ++i) {
        const StepInfo& info = plan_->plan.steps[i]->info();
        infos.push_back({info.name, info.kind, info.implementation,
                         static_cast<std::int64_t>(std::lround(times[i]))});
    }
    return infos;
}

std::vector<std::pair<std::string, Tensor>> CpuInferRequest::get_intermediates() {
    return intermediates_;
}

}  // namespace fuseq::cpu
