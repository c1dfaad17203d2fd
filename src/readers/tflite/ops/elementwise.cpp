// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Element by element: arithmetic, comparison, logic, functions of one value.
#include <algorithm>
#include <functional>

#include "ops/quantized/rules/d2.hpp"
#include "ops/quantized/rules/power_of_two.hpp"
#include "readers/tflite/operator_table.hpp"
#include "readers/tflite/ops/grids.hpp"

namespace fuseq::tflite_reader::elementwise_operators {
namespace {

using ::tflite::ActivationFunctionType;

// Operations of the Model that are defined alike.
struct SameName {
    std::string_view tflite;
    const char* model;
};
constexpr SameName kSame[] = {
    {"ABS", "Abs"},
    {"ADD", "Add"},
    {"ATAN2", "Atan2"},
    {"BITWISE_XOR", "BitwiseXor"},
    {"CEIL", "Ceiling"},
    {"COS", "Cos"},
    {"EQUAL", "Equal"},
    {"EXP", "Exp"},
    {"FLOOR", "Floor"},
    {"FLOOR_MOD", "FloorMod"},
    {"GREATER", "Greater"},
    {"GREATER_EQUAL", "GreaterEqual"},
    {"LESS", "Less"},
    {"LESS_EQUAL", "LessEqual"},
    {"LOG", "Log"},
    {"LOGICAL_AND", "LogicalAnd"},
    {"LOGICAL_NOT", "LogicalNot"},
    {"LOGICAL_OR", "LogicalOr"},
    {"MAXIMUM", "Maximum"},
    {"MINIMUM", "Minimum"},
    {"MUL", "Multiply"},
    {"NEG", "Negative"},
    {"NOT_EQUAL", "NotEqual"},
    {"POW", "Power"},
    {"RIGHT_SHIFT", "BitwiseRightShift"},
    {"SIGN", "Sign"},
    {"SIN", "Sin"},
    {"SQRT", "Sqrt"},
    {"SQUARED_DIFFERENCE", "SquaredDifference"},
    {"SUB", "Subtract"},
};

const char* model_name(const Operator& op) {
    const auto* found = std::find_if(std::begin(kSame), std::end(kSame),
                                     [&](const auto& pair) { return pair.tflite == op.type(); });
    op.require(found != std::end(kSame), "has no counterpart in the Model");
    return found->model;
}

Values unary(Operator& op) {
    const Aligned x = op.either(0);
    const char* type = model_name(op);
    if (op.tensor(0).quantized()) {
        return through_reals(op, x, [&](const auto& values) { return op.add(type, values); });
    }
    return x.result(op.add(type, x.values));
}

// -x below zero, requantized as the rest: a leaky ReLU of slope -1.
Values absolute(Operator& op) {
    if (!op.tensor(0).quantized()) {
        return unary(op);
    }
    const Aligned x = op.either(0);
    ModelAttributes attributes = grids(op, {0});
    attributes.push_back({"alpha", -1.0F});
    return x.result(op.add("QuantizedLeakyRelu", x.values, attributes));
}

Values binary(Operator& op) {
    const Aligned operands = op.aligned(2);
    const char* type = model_name(op);
    if (op.tensor(0).quantized()) {
        return through_reals(op, operands,
                             [&](const auto& values) { return op.add(type, values); });
    }
    return operands.result(op.add(type, operands.values));
}

constexpr std::int64_t kBytes = 256;

std::int64_t lowest_byte(const TensorInfo& info) {
    return info.type == ElementType::i8 ? -kBytes / 2 : 0;
}

// What TFLite compares in place of bytes: eight more bits, times the scale.
std::vector<std::int32_t> compared_values(const TensorInfo& info) {
    const auto multiplier =
        rules::quantize_multiplier(static_cast<double>(info.quantization.scale()));
    std::vector<std::int32_t> table;
    for (std::int64_t i = 0; i < kBytes; ++i) {
        const std::int64_t value = lowest_byte(info) + i - info.quantization.zero_point();
        table.push_back(rules::d2(static_cast<std::int32_t>(value * kBytes), multiplier));
    }
    return table;
}

Output by_table(Operator& op,
                const TensorInfo& info,
                const Output& value,
                const std::vector<std::int32_t>& table) {
    const Output values =
        op.constant(Tensor::of<std::int32_t>(Shape{static_cast<std::size_t>(kBytes)}, table));
    const Output wide = op.convert(value, ElementType::i32);
    const Output index =
        op.add("Subtract", {wide, op.scalar(static_cast<double>(lowest_byte(info)), wide)});
    return op.add("Gather", {values, index, op.int_scalar(0)});
}

// TFLite takes scales below 1.
bool is_compared_by_table(const TensorInfo& info) {
    return info.quantized() && size_of(info.type) == 1 && !info.quantization.per_channel() &&
           info.quantization.scale() < 1;
}

// Bytes are compared as TFLite's integers, of which several bytes have one where the scale is small.
// Others are compared as real values unless both are on one grid.
Values compare(Operator& op) {
    Aligned operands = op.aligned(2);
    const TensorInfo& a = op.tensor(0);
    const TensorInfo& b = op.tensor(1);
    if (is_compared_by_table(a) && is_compared_by_table(b)) {
        const auto first = compared_values(a);
        const bool distinct =
            std::adjacent_find(first.begin(), first.end(), std::greater_equal<>()) == first.end();
        if (!same_grid(a, b) || !distinct) {
            operands.values = {by_table(op, a, operands.values[0], first),
                               by_table(op, b, operands.values[1], compared_values(b))};
        }
    } else if (a.quantized() && b.quantized() && !same_grid(a, b)) {
        operands.values = {dequantize(op, 0, operands.values[0]),
                           dequantize(op, 1, operands.values[1])};
    }
    return operands.result(op.add(model_name(op), operands.values));
}

template <class Options>
Values arithmetic(Operator& op, const char* quantized_type) {
    const auto function = op.options<Options>().fused_activation_function();
    const Aligned operands = op.aligned(2);
    if (is_quantized(op)) {
        return operands.result(
            op.add(quantized_type, operands.values, grids(op, {0, 1}, function)));
    }
    return operands.result(op.activation(op.add(model_name(op), operands.values), function));
}

Values squared_difference(Operator& op) {
    if (!is_quantized(op) || size_of(op.tensor(0).type) != 1) {
        return binary(op);
    }
    const Aligned operands = op.aligned(2);
    return operands.result(
        op.add("QuantizedSquaredDifference", operands.values, grids(op, {0, 1})));
}

// Powers of two as scales of 16-bit tensors: TFLite takes another kernel, which shifts. Scales that
// this kernel does not take it refuses.
template <class Options>
Values sum_or_difference(Operator& op, const char* quantized_type) {
    const TensorInfo& a = op.tensor(0);
    if (is_quantized(op) && a.type == ElementType::i16 && op.options<Options>().pot_scale_int16()) {
        ModelAttributes attributes =
            grids(op, {0, 1}, op.options<Options>().fused_activation_function());
        const auto is_power = [](const TensorInfo& tensor) {
            return rules::power_of_two(tensor.quantization.scale()).has_value();
        };
        attributes.push_back(
            {"shifts", is_power(a) && is_power(op.tensor(1)) && is_power(op.output_tensor())});
        const Aligned operands = op.aligned(2);
        return operands.result(op.add(quantized_type, operands.values, attributes));
    }
    return arithmetic<Options>(op, quantized_type);
}

Values add_values(Operator& op) {
    return sum_or_difference<::tflite::AddOptions>(op, "QuantizedAdd");
}

Values subtract(Operator& op) {
    return sum_or_difference<::tflite::SubOptions>(op, "QuantizedSubtract");
}

Values multiply(Operator& op) {
    return arithmetic<::tflite::MulOptions>(op, "QuantizedMultiply");
}

// Integers are cut towards zero.
Output quotient(Operator& op, const std::vector<Output>& values) {
    return op.add("Divide", values, {{"m_pythondiv", false}});
}

// TFLite has integers for u8 alone.
Values divide(Operator& op) {
    const auto function = op.options<::tflite::DivOptions>().fused_activation_function();
    if (op.tensor(0).type == ElementType::u8 && is_quantized(op)) {
        return arithmetic<::tflite::DivOptions>(op, "QuantizedDivide");
    }
    const Aligned operands = op.aligned(2);
    const auto operation = [&](const std::vector<Output>& values) {
        return op.activation(quotient(op, values), function);
    };
    return op.tensor(0).quantized() ? through_reals(op, operands, operation)
                                    : operands.result(operation(operands.values));
}

Values floor_divide(Operator& op) {
    const Aligned operands = op.aligned(2);
    if (is_real(operands.values[0].type())) {
        return operands.result(op.add("Floor", {op.add("Divide", operands.values)}));
    }
    return operands.result(op.add("Divide", operands.values, {{"m_pythondiv", true}}));
}

// Of integers as they stand: files have one grid for all.
Values extreme(Operator& op) {
    const Aligned operands = op.aligned(2);
    return operands.result(op.add(model_name(op), operands.values));
}

Values square(Operator& op) {
    const Aligned x = op.either(0);
    const auto operation = [&](const std::vector<Output>& values) {
        return op.add("Multiply", {values[0], values[0]});
    };
    return op.tensor(0).quantized() ? through_reals(op, x, operation)
                                    : x.result(operation(x.values));
}

Values reciprocal_root(Operator& op) {
    const Aligned x = op.either(0);
    const auto operation = [&](const std::vector<Output>& values) {
        return op.add("Divide", {op.scalar(1, values[0]), op.add("Sqrt", {values[0]})});
    };
    return op.tensor(0).quantized() ? through_reals(op, x, operation)
                                    : x.result(operation(x.values));
}

Values round(Operator& op) {
    const Aligned x = op.either(0);
    return x.result(op.add("Round", x.values, {{"mode", "half_to_even"}}));
}

Values add_many(Operator& op) {
    op.require(op.input_count() >= 1, "has no inputs");
    const Aligned operands = op.aligned(op.input_count());
    Output sum = operands.values[0];
    for (std::size_t i = 1; i < operands.values.size(); ++i) {
        sum = op.add("Add", {sum, operands.values[i]});
    }
    return operands.result(sum);
}

// SELECT of version 1 takes a condition of rank 1 for rows of its operands.
Values select(Operator& op) {
    const std::size_t condition = op.tensor(0).shape.size();
    const std::size_t rank = op.tensor(1).shape.size();
    if (op.type() == "SELECT" && condition == 1 && rank > 1) {
        std::vector<std::int64_t> sizes(rank, 1);
        sizes[0] = -1;
        return plain(op.add("Select", {op.reshape(op.input(0), sizes), op.input(1), op.input(2)}));
    }
    const Aligned operands = op.aligned(3);
    return operands.result(op.add("Select", operands.values));
}

Values zeros_like(Operator& op) {
    const Aligned x = op.either(0);
    return x.result(op.add("Broadcast", {op.scalar(0, x.values[0]), op.shape_of(x.values[0])}));
}

constexpr std::string_view kIntegers = "quantized: the integers themselves, whatever their grids";
const OperatorRow kRows[] = {
    {.type = "ABS", .newest = 5, .translate = absolute},
    {.type = "ADD", .newest = 4, .translate = add_values},
    {.type = "ADD_N", .newest = 1, .translate = add_many},
    {.type = "ATAN2", .newest = 1, .translate = binary},
    {.type = "BITWISE_XOR", .newest = 1, .translate = binary},
    {.type = "CEIL", .newest = 1, .translate = unary},
    {.type = "COS", .newest = 1, .translate = unary},
    {.type = "DIV", .newest = 2, .translate = divide, .note = "quantized but for u8: in f32"},
    {.type = "EQUAL", .newest = 4, .translate = compare},
    {.type = "EXP", .newest = 2, .translate = unary, .note = "quantized: in f32"},
    {.type = "FLOOR", .newest = 1, .translate = unary},
    {.type = "FLOOR_DIV", .newest = 3, .translate = floor_divide},
    {.type = "FLOOR_MOD", .newest = 2, .translate = binary},
    {.type = "GREATER", .newest = 2, .translate = compare},
    {.type = "GREATER_EQUAL", .newest = 3, .translate = compare},
    {.type = "LESS", .newest = 3, .translate = compare},
    {.type = "LESS_EQUAL", .newest = 3, .translate = compare},
    {.type = "LOG", .newest = 2, .translate = unary, .note = "quantized: in f32"},
    {.type = "LOGICAL_AND", .newest = 1, .translate = binary},
    {.type = "LOGICAL_NOT", .newest = 1, .translate = unary},
    {.type = "LOGICAL_OR", .newest = 1, .translate = binary},
    {.type = "MAXIMUM", .newest = 4, .translate = extreme, .note = kIntegers},
    {.type = "MINIMUM", .newest = 4, .translate = extreme, .note = kIntegers},
    {.type = "MUL", .newest = 6, .translate = multiply},
    {.type = "NEG", .newest = 1, .translate = unary},
    {.type = "NOT_EQUAL", .newest = 3, .translate = compare},
    {.type = "POW", .newest = 1, .translate = binary},
    {.type = "RIGHT_SHIFT", .newest = 1, .translate = binary},
    {.type = "ROUND", .newest = 1, .translate = round},
    {.type = "RSQRT", .newest = 3, .translate = reciprocal_root, .note = "quantized: in f32"},
    {.type = "SELECT", .newest = 3, .translate = select},
    {.type = "SELECT_V2", .newest = 2, .translate = select},
    {.type = "SIGN", .newest = 1, .translate = unary},
    {.type = "SIN", .newest = 1, .translate = unary},
    {.type = "SQRT", .newest = 1, .translate = unary},
    {.type = "SQUARE", .newest = 1, .translate = square},
    {.type = "SQUARED_DIFFERENCE",
     .newest = 2,
     .translate = squared_difference,
     .note = "16 bits: in f32"},
    {.type = "SUB", .newest = 5, .translate = subtract},
    {.type = "ZEROS_LIKE", .newest = 1, .translate = zeros_like},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::elementwise_operators
