// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/model.hpp"
#include "ops/axes.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {
namespace {

[[noreturn]] void fail_node(const char* stage, const Node& node, std::string rule) {
    throw Error(Error::Info{.stage = stage,
                            .file = {},
                            .layer_id = node.layer_id,
                            .layer = node.name(),
                            .op = node.type(),
                            .rule = std::move(rule)});
}

}  // namespace

ElementType InferContext::type(std::size_t i) const {
    require(has_input(i), "input ", i, " is not connected");
    return node_.input(i).type();
}

const PartialShape& InferContext::shape(std::size_t i) const {
    require(has_input(i), "input ", i, " is not connected");
    return node_.input(i).partial_shape();
}

std::optional<Tensor> InferContext::value(std::size_t i) const {
    if (!has_input(i)) {
        return std::nullopt;
    }
    const Output& source = node_.input(i);
    if (source.node->is_constant()) {
        return source.node->constant();
    }
    const Tensor& known = source.node->port(source.index).known_value;
    return known ? std::optional<Tensor>(known) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> InferContext::ints(std::size_t i) const {
    const std::optional<Tensor> tensor = value(i);
    if (!tensor) {
        return std::nullopt;
    }
    return to_ints(*tensor);
}

std::optional<std::vector<Dimension>> InferContext::dims(std::size_t i) const {
    if (const auto exact = ints(i)) {
        std::vector<Dimension> result;
        result.reserve(exact->size());
        for (const std::int64_t v : *exact) {
            // Negative values (the -1 of a Reshape pattern) are no sizes: give them up.
            result.push_back(v < 0 ? Dimension::dynamic() : Dimension(v));
        }
        return result;
    }
    if (!has_input(i)) {
        return std::nullopt;
    }
    const OutputPort& port = node_.input(i).node->port(node_.input(i).index);
    if (!port.known_dims.empty()) {
        return port.known_dims;
    }
    if (port.shape.is_static() && port.shape.rank() <= 1 && is_integral(port.type)) {
        const std::size_t count = shape_size(port.shape.to_shape());
        constexpr std::size_t kLongestShape = 64;
        if (count <= kLongestShape) {
            return std::vector<Dimension>(count);
        }
    }
    return std::nullopt;
}

void InferContext::set_output(std::size_t i, ElementType type, const PartialShape& shape) {
    OutputPort& port = node_.port(i);
    port.type = type;
    port.shape = shape;
}

void InferContext::set_output_dims(std::size_t i, std::vector<Dimension> dims) {
    node_.port(i).known_dims = std::move(dims);
}

void InferContext::require_type(std::size_t i, ElementType expected, std::string_view what) const {
    require(type(i) == expected, what, " is ", to_string(type(i)), ", expected ",
            to_string(expected));
}

void InferContext::require_same_type(std::size_t i, std::size_t j) const {
    require(type(i) == type(j), "input ", i, " is ", to_string(type(i)), ", input ", j, " is ",
            to_string(type(j)), ", expected the same type");
}

std::size_t InferContext::normalize_axis(std::int64_t axis,
                                         std::size_t rank,
                                         std::string_view what) const {
    return checked_axis(*this, axis, rank, what);
}

void InferContext::fail_with(std::string rule) const {
    fail_node("validate", node_, std::move(rule));
}

void EvalContext::fail_with(std::string rule) const {
    fail_node("infer", node_, std::move(rule));
}

Tensor& OwningEvalContext::output(std::size_t i, const Shape& shape) {
    return outputs_.at(i) = Tensor(output_type(i), shape);
}

std::vector<Tensor> evaluate_node(const Node& node, std::span<const Tensor> inputs) {
    OwningEvalContext context(node, inputs);
    node.spec().evaluate(context);
    return std::move(context.outputs());
}

}  // namespace fuseq
