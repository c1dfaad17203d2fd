// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of com.microsoft on quantized tensors, by the rules of ONNX Runtime: some add the zero
// point before they round, some after.
#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/pooling.hpp"
#include "readers/onnx/ops/quantization.hpp"
#include "readers/onnx/ops/quantized.hpp"

namespace fuseq::onnx_reader::qlinear_operators {
namespace {

using Outputs = std::vector<Output>;

Output scalar_input(Operator& op, std::size_t i) {
    const Output value = op.input(i);
    return op.rank(value) == 0 ? value : op.reshape(value, {});
}

Output real_input(Operator& op, std::size_t i) {
    return op.convert(scalar_input(op, i), ElementType::f32);
}

// The zero point may be left out.
Output real_zero(Operator& op, std::size_t i) {
    return op.has_input(i) ? real_input(op, i) : op.scalar(0, ElementType::f32);
}

Output dequantized(Operator& op, std::size_t data, std::size_t scale, std::size_t zero) {
    const Output real = op.convert(op.input(data), ElementType::f32);
    return op.add("Multiply",
                  {op.add("Subtract", {real, real_zero(op, zero)}), real_input(op, scale)});
}

Output rounded(Operator& op, const Output& value) {
    return op.add("Round", {value}, {{"mode", std::string("half_to_even")}});
}

// round(y / scale) + zero point
Output quantized(
    Operator& op, const Output& y, std::size_t scale, std::size_t zero, ElementType type) {
    const Output steps = rounded(op, op.add("Divide", {y, real_input(op, scale)}));
    return saturate(op, op.add("Add", {steps, real_zero(op, zero)}), type);
}

// round(a * ra + (b * rb + (zy - ra * za - rb * zb))), with ra = sa / sy: the zero point is added
// before the rounding. a, sa, za, b, sb, zb, sy, zy
Outputs add(Operator& op) {
    if (const Output result = quantized_sum(op)) {
        return {result};
    }
    const Output sy = real_input(op, 6);
    const Output ra = op.add("Divide", {real_input(op, 1), sy});
    const Output rb = op.add("Divide", {real_input(op, 4), sy});
    const Output a_offset = op.add("Multiply", {ra, real_zero(op, 2)});
    const Output b_offset = op.add("Multiply", {rb, real_zero(op, 5)});
    const Output offset =
        op.add("Subtract", {op.add("Subtract", {real_zero(op, 7), a_offset}), b_offset});
    const Output a = op.add("Multiply", {op.convert(op.input(0), ElementType::f32), ra});
    const Output b = op.add("Multiply", {op.convert(op.input(3), ElementType::f32), rb});
    const Output sum = op.add("Add", {a, op.add("Add", {b, offset})});
    return {saturate(op, rounded(op, sum), op.input(0).type())};
}

// round((a - za) * (b - zb) * (sa * sb / sy) + zy)
Outputs multiply(Operator& op) {
    if (const Output result = quantized_product(op)) {
        return {result};
    }
    const auto centered = [&](std::size_t data, std::size_t zero) {
        return op.add("Subtract",
                      {op.convert(op.input(data), ElementType::f32), real_zero(op, zero)});
    };
    const Output product = op.add("Multiply", {centered(0, 2), centered(3, 5)});
    const Output scales = op.add("Multiply", {real_input(op, 1), real_input(op, 4)});
    const Output factor = op.add("Divide", {scales, real_input(op, 6)});
    const Output y = op.add("Add", {op.add("Multiply", {product, factor}), real_zero(op, 7)});
    return {saturate(op, rounded(op, y), op.input(0).type())};
}

// sy, zy, then x, sx, zx of each input
Outputs concat(Operator& op) {
    op.require(op.input_count() >= 5 && (op.input_count() - 2) % 3 == 0, "has ", op.input_count(),
               " inputs, expected two and three for each tensor");
    if (const Output result = quantized_concat(op)) {
        return {result};
    }
    const ElementType type = op.input(2).type();
    std::vector<Output> parts;
    for (std::size_t i = 2; i < op.input_count(); i += 3) {
        parts.push_back(quantized(op, dequantized(op, i, i + 1, i + 2), 0, 1, type));
    }
    return {op.add("Concat", parts, {{"axis", op.attributes.required_integer("axis")}})};
}

// x, sx, zx, sy, zy
Outputs leaky_relu(Operator& op) {
    if (const Output result = quantized_leaky_relu(op)) {
        return {result};
    }
    const Output x = dequantized(op, 0, 1, 2);
    const Output slope =
        op.constant(Tensor::of<float>(Shape{1}, {op.attributes.real("alpha", 0.01F)}));
    return {quantized(op, op.add("PReLU", {x, slope}), 3, 4, op.input(0).type())};
}

Outputs sigmoid(Operator& op) {
    if (const Output result = quantized_sigmoid(op)) {
        return {result};
    }
    const Output x = dequantized(op, 0, 1, 2);
    return {quantized(op, op.add("Sigmoid", {x}), 3, 4, op.input(0).type())};
}

Outputs softmax(Operator& op) {
    const std::int64_t axis = op.attributes.integer("axis", -1);
    const std::size_t rank = op.rank(op.input(0));
    op.require(op.attributes.integer("opset", 13) >= 13 || op.axis(axis, rank) + 1 == rank,
               "the softmax of several dimensions (attribute opset below 13) is not supported");
    if (const Output result = quantized_softmax(op)) {
        return {result};
    }
    const Output x = dequantized(op, 0, 1, 2);
    return {quantized(op, op.add("SoftMax", {x}, {{"axis", axis}}), 3, 4, op.input(0).type())};
}

// condition, x, sx, zx, y, sy, zy, sz, zz
Outputs where(Operator& op) {
    const Output x = quantized(op, dequantized(op, 1, 2, 3), 7, 8, op.input(1).type());
    const Output y = quantized(op, dequantized(op, 4, 5, 6), 7, 8, op.input(4).type());
    return {op.add("Select", {op.input(0), x, y})};
}

// round(sum of (x - zx) * f32(sx / (sy * n))) + zy, the sum in integers.
Outputs global_average_pool(Operator& op) {
    if (const Output result = quantized_global_average(op)) {
        return {result};
    }
    const std::size_t first = op.attributes.integer("channels_last", 0) == 0 ? 2 : 1;
    const Output x = op.input(0);
    const std::size_t rank = op.rank(x);
    op.require(rank >= 3, "the input has rank ", rank, ", expected 3 or more");
    std::int64_t count = 1;
    std::vector<std::int64_t> axes;
    for (std::size_t d = first; d < rank - 2 + first; ++d) {
        op.require(x.partial_shape()[d].is_static(), "the sizes of the input must be known");
        count *= x.partial_shape()[d].get_length();
        axes.push_back(static_cast<std::int64_t>(d));
    }
    Output integers = op.convert(x, ElementType::i32);
    if (op.has_input(2)) {
        integers =
            op.add("Subtract", {integers, op.convert(scalar_input(op, 2), ElementType::i32)});
    }
    const Output sum = op.add("ReduceSum", {integers, op.int_list(axes)}, {{"keep_dims", true}});
    const Output area = op.add(
        "Multiply", {real_input(op, 3), op.scalar(static_cast<double>(count), ElementType::f32)});
    const Output factor = op.add("Divide", {real_input(op, 1), area});
    const Output steps =
        rounded(op, op.add("Multiply", {op.convert(sum, ElementType::f32), factor}));
    return {saturate(op, op.add("Add", {steps, real_zero(op, 4)}), x.type())};
}

// round(mean of dequantized values / sy + zy): the zero point is added before the rounding.
Outputs average_pool(Operator& op) {
    if (const Output result = quantized_average(op)) {
        return {result};
    }
    op.require(op.attributes.integer("channels_last", 0) == 0, "channels_last=1 is not supported");
    const Output mean = average(op, dequantized(op, 0, 1, 2));
    const Output steps = op.add("Divide", {mean, real_input(op, 3)});
    return {
        saturate(op, rounded(op, op.add("Add", {steps, real_zero(op, 4)})), op.input(0).type())};
}

constexpr std::string_view kMicrosoft = "com.microsoft";
const OperatorRow kRows[] = {
    {.type = "QLinearAdd", .since = 1, .translate = add, .domain = kMicrosoft},
    {.type = "QLinearMul", .since = 1, .translate = multiply, .domain = kMicrosoft},
    {.type = "QLinearConcat", .since = 1, .translate = concat, .domain = kMicrosoft},
    {.type = "QLinearLeakyRelu", .since = 1, .translate = leaky_relu, .domain = kMicrosoft},
    {.type = "QLinearSigmoid", .since = 1, .translate = sigmoid, .domain = kMicrosoft},
    {.type = "QLinearSoftmax", .since = 1, .translate = softmax, .domain = kMicrosoft},
    {.type = "QLinearWhere", .since = 1, .translate = where, .domain = kMicrosoft},
    {.type = "QLinearAveragePool",
     .since = 1,
     .translate = average_pool,
     .domain = kMicrosoft,
     .note = "channels_last refused"},
    {.type = "QLinearGlobalAveragePool",
     .since = 1,
     .translate = global_average_pool,
     .domain = kMicrosoft},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::qlinear_operators
