// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/program.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_set>

#include <fmt/core.h>

#include "ops/op_spec.hpp"
#include "ops/slot_lifetimes.hpp"

namespace fuseq::reference {
namespace {

[[noreturn]] void fail_at(const Node& node, std::string rule) {
    throw Error(Error::Info{.stage = "infer",
                            .file = {},
                            .layer_id = {},
                            .layer = node.name(),
                            .op = node.type(),
                            .rule = std::move(rule)});
}

// The kernel, with the layer in every error.
std::vector<Tensor> evaluate(const Node& node,
                             const std::vector<Tensor>& inputs,
                             KernelStates* states) {
    try {
        return evaluate_in_request(node, inputs, states);
    } catch (const Error& error) {
        if (!error.info().layer.empty()) {
            throw;
        }
        fail_at(node, error.info().rule);
    } catch (const std::exception& exception) {
        fail_at(node, exception.what());
    }
}

void check_supported(const Model& model) {
    std::string missing;
    for (const Node* node : model.ordered_nodes()) {
        if (!node->is("Parameter") && node->spec().evaluate == nullptr) {
            missing +=
                fmt::format("{}'{}' ({})", missing.empty() ? "" : ", ", node->name(), node->type());
        }
    }
    if (!missing.empty()) {
        throw Error("compile", fmt::format("no reference kernel for {}", missing));
    }
}

}  // namespace

Program::Program(std::shared_ptr<const Model> model) : model_(std::move(model)) {
    check_supported(*model_);
    std::vector<std::vector<std::size_t>> slots;  // by node id: one an output
    for (const Node* node : model_->ordered_nodes()) {
        if (slots.size() <= node->id()) {
            slots.resize(node->id() + 1);
        }
        if (node->is("Result")) {
            continue;
        }
        Step step = make_step(*node, slots);
        if (!node->is("Parameter") && !fold(step)) {
            steps_.push_back(std::move(step));
        }
    }
    for (const Node* node : model_->parameters()) {
        parameter_slots_.push_back(slots.at(node->id()).at(0));
    }
    for (const Node* node : model_->results()) {
        const Output& source = node->input(0);
        result_slots_.push_back(slots.at(source.node->id()).at(source.index));
    }
    find_dead_slots();
    drop_unread_constants();
}

Program::Step Program::make_step(const Node& node, std::vector<std::vector<std::size_t>>& slots) {
    Step step;
    step.node = &node;
    for (const Output& input : node.inputs()) {
        step.inputs.push_back(input ? slots.at(input.node->id()).at(input.index) : kNoSlot);
    }
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        step.outputs.push_back(constants_.size());
        constants_.emplace_back();
    }
    slots[node.id()] = step.outputs;
    return step;
}

bool Program::fold(const Step& step) {
    if (step.node->is_constant()) {
        constants_[step.outputs[0]] = step.node->constant();
        return true;
    }
    std::vector<Tensor> inputs;
    for (const std::size_t slot : step.inputs) {
        inputs.push_back(slot == kNoSlot ? Tensor() : constants_[slot]);
        if (slot != kNoSlot && !inputs.back()) {
            return false;
        }
    }
    if (inputs.empty() || is_random(*step.node)) {
        return false;
    }
    std::vector<Tensor> values = evaluate(*step.node, inputs, nullptr);
    for (std::size_t i = 0; i < values.size(); ++i) {
        constants_[step.outputs[i]] = std::move(values[i]);
    }
    if (step.node->is("FakeQuantize")) {
        folded_quantize_.emplace_back(step.node->name(), constants_[step.outputs[0]]);
    }
    return true;
}

void Program::find_dead_slots() {
    std::vector<bool> kept(constants_.size());
    std::transform(constants_.begin(), constants_.end(), kept.begin(),
                   [](const Tensor& constant) { return bool(constant); });
    for (const std::size_t slot : result_slots_) {
        kept[slot] = true;
    }
    std::vector<SlotUse> uses;
    for (const Step& step : steps_) {
        uses.push_back({step.inputs, step.outputs});
    }
    auto dead = slots_to_free(uses, std::move(kept));
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        steps_[i].dead = std::move(dead[i]);
    }
}

void Program::drop_unread_constants() {
    std::unordered_set<std::size_t> read(result_slots_.begin(), result_slots_.end());
    for (const Step& step : steps_) {
        read.insert(step.inputs.begin(), step.inputs.end());
    }
    for (std::size_t slot = 0; slot < constants_.size(); ++slot) {
        if (!read.contains(slot)) {
            constants_[slot] = {};
        }
    }
}

void Program::execute(const Step& step, std::vector<Tensor>& values, ProgramRun& run) const {
    std::vector<Tensor> inputs;
    inputs.reserve(step.inputs.size());
    for (const std::size_t slot : step.inputs) {
        inputs.push_back(slot == kNoSlot ? Tensor() : values[slot]);
    }
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Tensor> outputs = evaluate(*step.node, inputs, &run.states);
    if (run.profile) {
        const auto time = std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - begin);
        run.profile_info.push_back(
            {step.node->name(), step.node->type(), "reference", time.count()});
    }
    if (run.keep_intermediates && step.node->is("FakeQuantize")) {
        run.intermediates.emplace_back(step.node->name(), outputs[0]);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        values[step.outputs[i]] = std::move(outputs[i]);
    }
    for (const std::size_t slot : step.dead) {
        values[slot] = {};
    }
}

void Program::run(ProgramRun& run) const {
    run.profile_info.clear();
    run.intermediates.clear();
    if (run.keep_intermediates) {
        run.intermediates = folded_quantize_;
    }
    std::vector<Tensor> values = constants_;
    for (std::size_t i = 0; i < parameter_slots_.size(); ++i) {
        values[parameter_slots_[i]] = run.inputs.at(i);
    }
    for (const Step& step : steps_) {
        if (run.cancelled != nullptr && run.cancelled->load(std::memory_order_relaxed)) {
            throw Error("infer", "the run was cancelled");
        }
        execute(step, values, run);
    }
    run.outputs.clear();
    for (const std::size_t slot : result_slots_) {
        run.outputs.push_back(values[slot]);
    }
}

std::vector<const Node*> Program::executed_nodes() const {
    std::vector<const Node*> nodes;
    for (const Step& step : steps_) {
        nodes.push_back(step.node);
    }
    return nodes;
}

}  // namespace fuseq::reference
