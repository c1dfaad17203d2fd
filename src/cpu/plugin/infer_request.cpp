// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plugin/infer_request.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "cpu/exec/intermediates.hpp"
#include "cpu/exec/run_steps.hpp"
#include "cpu/kernels/common/large_pages.hpp"
#include "cpu/threading/parallel.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {

BoundMemory::BoundMemory(const Plan& plan,
                         std::vector<Tensor>& inputs,
                         std::vector<Tensor>& outputs,
                         KernelStates* states)
    : plan_(plan),
      inputs_(inputs),
      outputs_(outputs),
      arena_memory_(kernels::on_large_pages(plan.arena_bytes)),
      arena_(ElementType::u8, Shape{plan.arena_bytes}, arena_memory_.get()),
      dynamic_(plan.tensors.size()),
      states_(states) {
    for (TensorId id = 0; id < plan.tensors.size(); ++id) {
        roots_.push_back(plan.root(id));
    }
}

void BoundMemory::poison(int byte) {
    std::memset(arena_.data(), byte, arena_.get_byte_size());
    for (const PlanTensor& tensor : plan_.tensors) {
        if (tensor.storage == Storage::kOutput) {
            std::memset(outputs_[tensor.port].data(), byte, outputs_[tensor.port].get_byte_size());
        }
    }
}

bool BoundMemory::in_user_memory(TensorId id) const {
    const Storage storage = plan_.tensors[roots_[id]].storage;
    return storage == Storage::kInput || storage == Storage::kOutput;
}

void* BoundMemory::data(TensorId id) const {
    const PlanTensor& root = plan_.tensors[roots_[id]];
    // Steps only read inputs and constants; the interface of oneDNN has no const handles.
    switch (root.storage) {
        case Storage::kArena:
            return static_cast<char*>(const_cast<void*>(arena_.data())) + root.offset;
        case Storage::kConstant: return const_cast<void*>(root.constant.data());
        case Storage::kInput:
            return const_cast<void*>(static_cast<const Tensor&>(inputs_[root.port]).data());
        case Storage::kOutput: return outputs_[root.port].data();
        case Storage::kDynamic: break;
    }
    return const_cast<void*>(static_cast<const Tensor&>(dynamic_[roots_[id]]).data());
}

void* BoundMemory::rows(TensorId id, const RowPart& part) const {
    const PlanTensor& root = plan_.tensors[roots_[id]];
    auto* at = static_cast<char*>(data(id));
    return root.part_row == 0
               ? at
               : at + part.thread * root.part_bytes + root.part_kept - part.begin * root.part_row;
}

void BoundMemory::keep_rows(TensorId id, const RowPart& part) const {
    const PlanTensor& root = plan_.tensors[roots_[id]];
    if (root.part_kept != 0) {
        char* at = static_cast<char*>(data(id)) + part.thread * root.part_bytes;
        std::memmove(at, at + (part.end - part.begin) * root.part_row, root.part_kept);
    }
}

Tensor BoundMemory::as_tensor(TensorId id) const {
    const PlanTensor& root = plan_.tensors[roots_[id]];
    const PlanTensor& mine = plan_.tensors[id];
    if (root.storage == Storage::kDynamic) {
        return dynamic_[roots_[id]];
    }
    if (root.storage == Storage::kConstant) {
        return root.constant.reshaped(mine.dims());
    }
    return {mine.type, mine.dims(), data(id)};
}

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
    plan_ = std::move(plan);
    runners_.clear();
    memory_ = std::make_unique<BoundMemory>(plan_->plan, inputs_, outputs_, states_);
    for (const auto& step : plan_->plan.steps) {
        runners_.push_back(step->bind(*memory_));
    }
    output_shapes_.clear();
    for (const TensorId id : plan_->plan.outputs) {
        const PartialShape& shape = plan_->plan.tensors[id].shape;
        output_shapes_.push_back(shape.is_static() ? std::optional(shape.to_shape())
                                                   : std::nullopt);
    }
}

// The plan for the shapes of this inference, and outputs of the right size.
void CpuInferRequest::prepare() {
    if (!plan_ || model_->is_dynamic()) {  // a model with fixed shapes has one plan
        std::vector<Shape> shapes;
        for (const Tensor& input : inputs_) {
            shapes.push_back(input.get_shape());
        }
        auto plan = model_->plan_for(shapes);
        if (plan != plan_) {
            bind(std::move(plan));
        }
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        if (output_shapes_[i]) {
            prepare_output(i, *output_shapes_[i]);
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
    if (!config.keep_intermediates) {
        config.perf_count ? run_timed(plan_->plan, runners_, times_us_)
                          : cpu::run_steps(plan_->plan, runners_);
        return;
    }
    // A step at a time: after it its result is looked at.
    times_us_.assign(runners_.size(), 0);
    intermediates_.clear();
    using Clock = std::chrono::steady_clock;
    for (std::size_t i = 0; i < runners_.size(); ++i) {
        const auto begin = Clock::now();
        runners_[i]->run();
        times_us_[i] = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
        keep_result(*plan_->plan.steps[i]);
    }
}

void CpuInferRequest::infer() {
    const ThreadCount threads(model_->threads());
    read_state();
    prepare();
    if (model_->config().poison >= 0) {
        memory_->poison(model_->config().poison);
    }
    run_steps();
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        const TensorId id = plan_->plan.outputs[i];
        if (plan_->plan.tensors[plan_->plan.root(id)].storage != Storage::kDynamic) {
            continue;
        }
        const Tensor result = memory_->as_tensor(id);
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

void CpuInferRequest::keep_result(const Step& step) {
    for (const TensorId id : step.outputs()) {
        const PlanTensor& tensor = plan_->plan.tensors[id];
        if (!tensor.quantized) {
            continue;
        }
        const Tensor values = dequantized(tensor, memory_->data(id));
        intermediates_.emplace_back(tensor.quantized->layer, values);
        for (const std::string& twin : tensor.quantized->twins) {
            intermediates_.emplace_back(twin, values);
        }
    }
}

std::vector<ProfilingInfo> CpuInferRequest::get_profiling_info() const {
    std::vector<ProfilingInfo> infos;
    for (std::size_t i = 0; i < times_us_.size(); ++i) {
        const StepInfo& info = plan_->plan.steps[i]->info();
        infos.push_back({info.name, info.kind, info.implementation,
                         static_cast<std::int64_t>(std::lround(times_us_[i]))});
    }
    return infos;
}

std::vector<std::pair<std::string, Tensor>> CpuInferRequest::get_intermediates() {
    return intermediates_;
}

}  // namespace fuseq::cpu
