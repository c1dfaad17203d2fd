// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Types and constants.
#include "readers/onnx/element_types.hpp"
#include "readers/onnx/operator_table.hpp"

namespace fuseq::onnx_reader::constant_operators {
namespace {

using Outputs = std::vector<Output>;

Outputs cast(Operator& op) {
    const auto number = static_cast<int>(op.attributes.required_integer("to"));
    return {
        op.add("Convert", {op.input(0)}, {{"destination_type", element_type(number, op.place())}})};
}

Outputs cast_like(Operator& op) {
    return {op.add("ConvertLike", {op.input(0), op.input(1)})};
}

Outputs constant(Operator& op) {
    if (op.attributes.has("value")) {
        return {op.constant(op.attributes.tensor("value"))};
    }
    if (op.attributes.has("value_float")) {
        return {op.constant(Tensor::scalar<float>(op.attributes.real("value_float", 0)))};
    }
    if (op.attributes.has("value_int")) {
        return {op.int_scalar(op.attributes.integer("value_int", 0))};
    }
    if (op.attributes.has("value_floats")) {
        const std::vector<float> values = op.attributes.reals("value_floats");
        return {op.constant(Tensor::of<float>(Shape{values.size()}, values))};
    }
    op.require(op.attributes.has("value_ints"),
               "has none of value, value_float, value_floats, value_int, value_ints; strings and "
               "sparse tensors are not supported");
    return {op.int_list(op.attributes.integers("value_ints"))};
}

Outputs constant_of_shape(Operator& op) {
    Tensor value = Tensor::scalar<float>(0.0F);
    if (op.attributes.has("value")) {
        value = op.attributes.tensor("value");
        op.require(value.get_size() == 1, "attribute value has ", value.get_size(),
                   " elements, expected 1");
        value = value.reshaped(Shape{});
    }
    return {op.add("Broadcast", {op.constant(value), op.input(0)})};
}

Outputs eye_like(Operator& op) {
    const Output x = op.input(0);
    const ElementType type =
        op.attributes.has("dtype")
            ? element_type(static_cast<int>(op.attributes.integer("dtype", 1)), op.place())
            : x.type();
    const Output shape = op.shape_of(x);
    const auto size = [&](std::int64_t d) {
        return op.add("Gather", {shape, op.int_scalar(d), op.int_scalar(0)});
    };
    return {op.add("Eye", {size(0), size(1), op.int_scalar(op.attributes.integer("k", 0))},
                   {{"output_type", type}})};
}

Outputs range(Operator& op) {
    const ElementType type = op.input(0).type();
    const auto scalar = [&](std::size_t i) {
        const Output value = op.input(i);
        return op.rank(value) == 0 ? value : op.reshape(value, {});
    };
    return {op.add("Range", {scalar(0), scalar(1), scalar(2)}, {{"output_type", type}})};
}

Outputs identity(Operator& op) {
    return {op.input(0)};
}

// In inference it does nothing; the mask is all true.
Outputs dropout(Operator& op) {
    if (op.has_input(2)) {
        const auto training = op.known_ints(op.input(2));
        const auto ratio = op.has_input(1) ? op.value(op.input(1)) : std::nullopt;
        const bool drops = !ratio || to_floats(*ratio) != std::vector<float>{0};
        op.require(training && (training->front() == 0 || !drops),
                   "training_mode is not false: training is not supported");
    }
    Outputs outputs{op.input(0)};
    if (op.has_output(1)) {
        // Before version 10 the mask had the type of the data.
        const ElementType type = op.version() < 10 ? op.input(0).type() : ElementType::boolean;
        outputs.push_back(op.add("Broadcast", {op.scalar(1, type), op.shape_of(op.input(0))}));
    }
    return outputs;
}

const OperatorRow kRows[] = {
    {.type = "Cast", .since = 6, .translate = cast, .note = "strings and 8-bit floats refused"},
    {.type = "CastLike", .since = 15, .translate = cast_like, .note = "likewise"},
    {.type = "Constant",
     .since = 1,
     .translate = constant,
     .note = "strings and sparse tensors refused"},
    {.type = "ConstantOfShape", .since = 9, .translate = constant_of_shape},
    {.type = "EyeLike", .since = 9, .translate = eye_like},
    {.type = "Range", .since = 11, .translate = range},
    {.type = "Identity", .since = 1, .translate = identity},
    {.type = "Dropout", .since = 7, .translate = dropout, .note = "training refused"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::constant_operators
