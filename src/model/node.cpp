// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/node.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "fuseq/model.hpp"
#include "ops/constant.hpp"
#include "ops/kernel_states.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {
namespace {

// Values are propagated through graphs of small tensors only: what shapes are computed from.
constexpr std::size_t kLargestKnownValue = 4096;

bool small(const OutputPort& port) {
    return port.shape.is_static() && shape_size(port.shape.to_shape()) <= kLargestKnownValue;
}

const Tensor* known_input(const Output& input) {
    if (!input) {
        return nullptr;
    }
    if (input.node->is_constant()) {
        const Tensor& value = input.node->constant();
        return value.get_size() <= kLargestKnownValue ? &value : nullptr;
    }
    const Tensor& known = input.node->port(input.index).known_value;
    return known ? &known : nullptr;
}

bool reads_only_shape(const Node& node) {
    return node.is("ShapeOf");
}

// Types that most kernels do not compute in: halves and packed types.
bool is_narrow(ElementType type) {
    return type == ElementType::f16 || type == ElementType::bf16 || is_packed(type);
}

bool reads_or_makes_narrow(const Node& node) {
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        if (node.has_input(i) && is_narrow(node.input(i).type())) {
            return true;
        }
    }
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        if (is_narrow(node.port(i).type)) {
            return true;
        }
    }
    return false;
}

}  // namespace

ElementType Output::type() const {
    return node->port(index).type;
}
const PartialShape& Output::partial_shape() const {
    return node->port(index).shape;
}
Shape Output::shape() const {
    return partial_shape().to_shape();
}
const std::unordered_set<std::string>& Output::get_names() const {
    return node->port(index).names;
}
std::string Output::get_any_name() const {
    const auto& names = get_names();
    return names.empty() ? node->name() : *std::min_element(names.begin(), names.end());
}

Node::Node(Model& model,
           const OpSpec& spec,
           std::size_t id,
           std::string name,
           std::unique_ptr<Attributes> attributes)
    : model_(&model),
      spec_(&spec),
      id_(id),
      name_(std::move(name)),
      attributes_(std::move(attributes)),
      outputs_(1) {}

std::string Node::type() const {
    return std::string(spec_->type);
}

bool Node::is(std::string_view type) const {
    return spec_->type == type;
}

void Node::set_input(std::size_t i, Output source) {
    Output& slot = inputs_.at(i);
    if (slot) {
        std::erase(slot.node->outputs_.at(slot.index).uses, Use{this, i});
    }
    slot = source;
    if (source) {
        source.node->outputs_.at(source.index).uses.push_back({this, i});
    }
}

void Node::add_input(Output source) {
    inputs_.emplace_back();
    set_input(inputs_.size() - 1, source);
}

void Node::set_output_count(std::size_t count) {
    for (std::size_t i = count; i < outputs_.size(); ++i) {
        if (!outputs_[i].uses.empty()) {
            throw Error(Error::Info{
                .stage = "validate",
                .file = {},
                .layer_id = {},
                .layer = name_,
                .op = type(),
                .rule = fmt::format("output {} is read, but there are only {}", i, count)});
        }
    }
    outputs_.resize(count);
}

std::vector<Use> Node::users() const {
    std::vector<Use> all;
    for (const OutputPort& port : outputs_) {
        all.insert(all.end(), port.uses.begin(), port.uses.end());
    }
    return all;
}

void Node::infer() {
    InferContext context(*this);
    const Arity arity = spec_->inputs;
    const std::size_t max_inputs =
        arity.max == Arity::kMany ? arity.max : arity.max + spec_->binary_sources;
    context.require(inputs_.size() >= arity.min && inputs_.size() <= max_inputs, "has ",
                    inputs_.size(), " inputs, expected ", arity.min,
                    arity.max == arity.min      ? ""
                    : arity.max == Arity::kMany ? " or more"
                                                : " to " + std::to_string(arity.max));
    for (std::size_t i = 0; i < arity.min; ++i) {
        context.require(has_input(i), "input ", i, " is not connected");
    }
    for (OutputPort& port : outputs_) {
        port.known_value = {};
        port.known_dims.clear();
    }
    spec_->infer(context);
    if (is_constant() || spec_->evaluate == nullptr) {
        return;
    }
    if (!std::all_of(outputs_.begin(), outputs_.end(), small)) {
        return;
    }
    std::vector<Tensor> values;
    for (const Output& input : inputs_) {
        if (const Tensor* known = known_input(input)) {
            values.push_back(*known);
        } else if (input && reads_only_shape(*this) && input.partial_shape().is_static() &&
                   input.type() != ElementType::undefined) {
            // Only the shape is read: give it memory that is never touched.
            static const char kNothing = 0;
            values.emplace_back(input.type(), input.shape(), &kNothing,
                                std::shared_ptr<const void>());
        } else if (!input) {
            values.emplace_back();
        } else {
            return;
        }
    }
    if (values.empty() || is("Result") || is_random(*this)) {
        return;
    }
    std::vector<Tensor> results;
    try {
        results = evaluate_node(*this, values);
    } catch (const Error&) {
        // Most kernels do not compute in halves and packed types: the value is not known until
        // convert_precision has made the graph one of floats and bytes. Another error of this node
        // is thrown when it is evaluated then.
        if (!reads_or_makes_narrow(*this)) {
            throw;
        }
        return;
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        outputs_[i].known_value = results[i];
        outputs_[i].known_dims.clear();
    }
}

const Tensor& Node::constant() const {
    if (!is_constant()) {
        throw Error("model", fmt::format("layer '{}' ({}) is not a constant", name_, type()));
    }
    return attrs<ConstAttrs>().value;
}

void Node::detach_inputs() {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        set_input(i, {});
    }
}

}  // namespace fuseq
