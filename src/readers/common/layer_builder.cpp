// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/common/layer_builder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace fuseq::readers {

std::size_t LayerBuilder::rank(const Output& value, const char* what) const {
    require(value.partial_shape().rank_is_static(), "the rank of ", what, " is not known");
    return value.partial_shape().rank();
}

std::size_t LayerBuilder::axis(std::int64_t axis, std::size_t rank) const {
    const auto limit = static_cast<std::int64_t>(rank);
    require(axis >= -limit && axis < limit, "axis is ", axis, ", the rank is ", rank);
    return static_cast<std::size_t>(axis < 0 ? axis + limit : axis);
}

std::optional<Tensor> LayerBuilder::value(const Output& output) const {
    if (output.node->is_constant()) {
        return output.node->constant();
    }
    const Tensor& known = output.node->port(output.index).known_value;
    return known ? std::optional(known) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> LayerBuilder::known_ints(const Output& output) const {
    const std::optional<Tensor> known = value(output);
    return known ? std::optional(to_ints(*known)) : std::nullopt;
}

std::vector<std::int64_t> LayerBuilder::ints(const Output& output, const char* what) const {
    const auto known = known_ints(output);
    require(known.has_value(), what, " is not constant");
    return *known;
}

double LayerBuilder::real(const Output& output, const char* what) const {
    const std::optional<Tensor> known = value(output);
    require(known && known->get_size() == 1, what, " is not one constant value");
    return known->to(ElementType::f64).data<double>()[0];
}

fuseq::Node* LayerBuilder::node(std::string_view type,
                                std::vector<Output> inputs,
                                const ModelAttributes& values,
                                int opset) {
    const OpSpec* spec = find_op(type, opset);
    require(spec != nullptr, "the Model has no operation ", type);
    return remember(sink_.model().add(type, opset,
                                      sink_.unique_name(fmt::format("{}/{}", name_, type)),
                                      std::move(inputs), make_model_attributes(*spec, values)));
}

fuseq::Node* LayerBuilder::node(std::string_view type,
                                std::vector<Output> inputs,
                                std::unique_ptr<Attributes> values) {
    return remember(sink_.model().add(type, kNewest,
                                      sink_.unique_name(fmt::format("{}/{}", name_, type)),
                                      std::move(inputs), std::move(values)));
}

fuseq::Node* LayerBuilder::remember(fuseq::Node* made) {
    made_.push_back(made);
    return made;
}

Output LayerBuilder::constant(Tensor value) {
    return remember(
               sink_.model().add_constant(sink_.unique_name(name_ + "/Const"), std::move(value)))
        ->output();
}

Output LayerBuilder::int_list(const std::vector<std::int64_t>& values) {
    return constant(Tensor::of<std::int64_t>(Shape{values.size()}, values));
}

Output LayerBuilder::int_scalar(std::int64_t value) {
    return constant(Tensor::scalar<std::int64_t>(value));
}

Output LayerBuilder::scalar(double value, ElementType type) {
    return constant(Tensor::scalar<double>(value).to(type));
}

Output LayerBuilder::convert(const Output& value, ElementType type) {
    if (value.type() != type && value.node->is_constant()) {
        return constant(value.node->constant().to(type));
    }
    return value.type() == type ? value : add("Convert", {value}, {{"destination_type", type}});
}

Output LayerBuilder::reshape(const Output& value, const std::vector<std::int64_t>& sizes) {
    const bool plain =
        std::none_of(sizes.begin(), sizes.end(), [](auto size) { return size == 0; });
    if (value.node->is_constant() && plain && std::count(sizes.begin(), sizes.end(), -1) <= 1) {
        const Tensor& tensor = value.node->constant();
        std::size_t known = 1;
        for (const std::int64_t size : sizes) {
            known *= size > 0 ? static_cast<std::size_t>(size) : 1;
        }
        Shape shape;
        for (const std::int64_t size : sizes) {
            shape.push_back(size > 0 ? static_cast<std::size_t>(size) : tensor.get_size() / known);
        }
        if (shape_size(shape) == tensor.get_size()) {
            return constant(tensor.reshaped(shape));
        }
    }
    return add("Reshape", {value, int_list(sizes)}, {{"special_zero", true}});
}

Output LayerBuilder::unsqueeze(const Output& value, const std::vector<std::int64_t>& axes) {
    return axes.empty() ? value : add("Unsqueeze", {value, int_list(axes)});
}

Output LayerBuilder::squeeze(const Output& value, const std::vector<std::int64_t>& axes) {
    return axes.empty() ? value : add("Squeeze", {value, int_list(axes)});
}

Output LayerBuilder::transpose(const Output& value, const std::vector<std::int64_t>& order) {
    return add("Transpose", {value, int_list(order)});
}

Output LayerBuilder::size_of(const Output& value, std::int64_t axis) {
    return add("Gather", {shape_of(value), int_scalar(axis), int_scalar(0)});
}

Output LayerBuilder::all_axes(const Output& value) {
    if (value.partial_shape().rank_is_static()) {
        std::vector<std::int64_t> axes(value.partial_shape().rank());
        std::iota(axes.begin(), axes.end(), 0);
        return int_list(axes);
    }
    const Output rank = squeeze(shape_of(shape_of(value)), {0});
    return add("Range", {int_scalar(0), rank, int_scalar(1)}, {{"output_type", ElementType::i64}});
}

}  // namespace fuseq::readers
