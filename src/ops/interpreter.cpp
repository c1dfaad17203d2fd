// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/interpreter.hpp"

#include <unordered_map>
#include <unordered_set>

#include <fmt/core.h>

#include "ops/kernel_states.hpp"
#include "ops/op_spec.hpp"
#include "ops/slot_lifetimes.hpp"

namespace fuseq {
namespace {

std::unordered_set<const Node*> needed_nodes(const Model& model) {
    std::vector<const Node*> stack(model.results().begin(), model.results().end());
    std::unordered_set<const Node*> needed(stack.begin(), stack.end());
    while (!stack.empty()) {
        const Node* node = stack.back();
        stack.pop_back();
        for (const Output& input : node->inputs()) {
            if (input && needed.insert(input.node).second) {
                stack.push_back(input.node);
            }
        }
    }
    return needed;
}

}  // namespace

Interpreter::Interpreter(const Model& model) : model_(model) {
    const auto needed = needed_nodes(model);
    std::unordered_map<const Node*, std::size_t> slots;
    for (const Node* node : model.ordered_nodes()) {
        if (!needed.contains(node) && !node->is("Parameter")) {
            continue;
        }
        std::vector<std::size_t> inputs;
        for (const Output& input : node->inputs()) {
            inputs.push_back(input ? slots.at(input.node) + input.index : kNoSlot);
        }
        if (node->is("Result")) {
            slots[node] = inputs.at(0);
            continue;
        }
        slots[node] = slot_count_;
        if (node->is_constant()) {
            constants_.emplace_back(slot_count_, node->constant());
        } else if (!node->is("Parameter")) {
            steps_.push_back({node, std::move(inputs), slot_count_, {}});
        }
        slot_count_ += node->output_count();
    }
    for (const Node* parameter : model.parameters()) {
        parameter_slots_.push_back(slots.at(parameter));
    }
    // A slot that a Result reads is kept to the end.
    std::vector<bool> kept(slot_count_, false);
    for (const Node* result : model.results()) {
        result_slots_.push_back(slots.at(result));
        kept[result_slots_.back()] = true;
    }
    find_last_uses(std::move(kept));
}

void Interpreter::find_last_uses(std::vector<bool> kept) {
    std::vector<SlotUse> uses;
    for (const Step& step : steps_) {
        uses.push_back({step.inputs, {}});
        for (std::size_t i = 0; i < step.node->output_count(); ++i) {
            uses.back().writes.push_back(step.first_output + i);
        }
    }
    auto freed = slots_to_free(uses, std::move(kept));
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        steps_[i].last_uses = std::move(freed[i]);
    }
}

void Interpreter::check_input(std::size_t index, const Tensor& value) const {
    const Node& parameter = *model_.parameters()[index];
    const OutputPort& port = parameter.port();
    const auto fail = [&](const std::string& rule) {
        throw Error(Error::Info{.stage = "infer",
                                .file = {},
                                .layer_id = {},
                                .layer = parameter.name(),
                                .op = parameter.type(),
                                .rule = rule});
    };
    if (value.get_element_type() != port.type) {
        fail(fmt::format("got a tensor of {}, expected {}", to_string(value.get_element_type()),
                         to_string(port.type)));
    }
    if (!port.shape.contains(value.get_shape())) {
        fail(fmt::format("got a tensor of shape {}, expected {}", to_string(value.get_shape()),
                         to_string(port.shape)));
    }
}

std::vector<Tensor> Interpreter::run(std::span<const Tensor> inputs,
                                     const AfterNode& after,
                                     KernelStates* states) const {
    if (inputs.size() != parameter_slots_.size()) {
        throw Error("infer", fmt::format("model '{}' got {} inputs, expected {}", model_.name(),
                                         inputs.size(), parameter_slots_.size()));
    }
    std::vector<Tensor> values(slot_count_);
    for (const auto& [slot, value] : constants_) {
        values[slot] = value;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        check_input(i, inputs[i]);
        values[parameter_slots_[i]] = inputs[i];
    }
    std::vector<Tensor> arguments;
    for (const Step& step : steps_) {
        arguments.clear();
        for (const std::size_t slot : step.inputs) {
            arguments.push_back(slot == kNoSlot ? Tensor() : values[slot]);
        }
        std::vector<Tensor> outputs = evaluate_in_request(*step.node, arguments, states);
        if (after) {
            after(*step.node, outputs);
        }
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            values[step.first_output + i] = std::move(outputs[i]);
        }
        for (const std::size_t slot : step.last_uses) {
            values[slot] = {};
        }
    }
    std::vector<Tensor> results;
    results.reserve(result_slots_.size());
    for (const std::size_t slot : result_slots_) {
        results.push_back(values[slot]);
    }
    return results;
}

}  // namespace fuseq
