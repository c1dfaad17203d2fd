// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Element by element: arithmetic, comparison, logic, functions of one value.
#include "readers/onnx/operator_table.hpp"

namespace fuseq::onnx_reader::elementwise_operators {
namespace {

using Outputs = std::vector<Output>;

// Operations of the Model that are defined alike.
struct SameName {
    std::string_view onnx;
    std::string_view model;
};
constexpr SameName kSame[] = {
    {"Abs", "Abs"},
    {"Acos", "Acos"},
    {"Acosh", "Acosh"},
    {"Asin", "Asin"},
    {"Asinh", "Asinh"},
    {"Atan", "Atan"},
    {"Atanh", "Atanh"},
    {"Ceil", "Ceiling"},
    {"Cos", "Cos"},
    {"Cosh", "Cosh"},
    {"Erf", "Erf"},
    {"Exp", "Exp"},
    {"Floor", "Floor"},
    {"Log", "Log"},
    {"Neg", "Negative"},
    {"Sign", "Sign"},
    {"Sin", "Sin"},
    {"Sinh", "Sinh"},
    {"Sqrt", "Sqrt"},
    {"Tan", "Tan"},
    {"Not", "LogicalNot"},
    {"IsNaN", "IsNaN"},
    {"Add", "Add"},
    {"Sub", "Subtract"},
    {"Mul", "Multiply"},
    {"And", "LogicalAnd"},
    {"Or", "LogicalOr"},
    {"Xor", "LogicalXor"},
    {"Equal", "Equal"},
    {"Less", "Less"},
    {"Greater", "Greater"},
    {"Where", "Select"},
    {"LessOrEqual", "LessEqual"},
    {"GreaterOrEqual", "GreaterEqual"},
    {"BitwiseAnd", "BitwiseAnd"},
    {"BitwiseOr", "BitwiseOr"},
    {"BitwiseXor", "BitwiseXor"},
    {"BitwiseNot", "BitwiseNot"},
};

Outputs same(Operator& op) {
    for (const SameName& pair : kSame) {
        if (pair.onnx == op.type()) {
            return {op.add(pair.model, op.inputs())};
        }
    }
    op.fail("has no counterpart in the Model");
}

Outputs round(Operator& op) {
    return {op.add("Round", {op.input(0)}, {{"mode", std::string("half_to_even")}})};
}

Outputs reciprocal(Operator& op) {
    const Output x = op.input(0);
    return {op.add("Divide", {op.scalar(1, x), x})};
}

// Integers are cut towards zero.
Outputs divide(Operator& op) {
    return {op.add("Divide", {op.input(0), op.input(1)}, {{"m_pythondiv", false}})};
}

// The result has the type of the base.
Outputs power(Operator& op) {
    const Output base = op.input(0);
    const Output exponent = op.input(1);
    if (is_real(base.type()) || base.type() == exponent.type()) {
        return {op.add("Power", {base, op.convert(exponent, base.type())})};
    }
    const Output result = op.add(
        "Power", {op.convert(base, ElementType::f64), op.convert(exponent, ElementType::f64)});
    return {op.convert(result, base.type())};
}

Outputs modulo(Operator& op) {
    const bool truncated = op.attributes.integer("fmod", 0) != 0;
    op.require(truncated || is_integral(op.input(0).type()), "real values need fmod=1");
    return {op.add(truncated ? "Mod" : "FloorMod", {op.input(0), op.input(1)})};
}

Outputs fold(Operator& op, const char* type) {
    op.require(op.input_count() >= 1, "has no input");
    Output result = op.input(0);
    for (std::size_t i = 1; i < op.input_count(); ++i) {
        result = op.add(type, {result, op.input(i)});
    }
    return {result};
}
Outputs sum(Operator& op) {
    return fold(op, "Add");
}
Outputs maximum(Operator& op) {
    return fold(op, "Maximum");
}
Outputs minimum(Operator& op) {
    return fold(op, "Minimum");
}
Outputs mean(Operator& op) {
    const Output total = fold(op, "Add")[0];
    return {op.add("Divide", {total, op.scalar(static_cast<double>(op.input_count()), total)})};
}

Outputs bit_shift(Operator& op) {
    const std::string direction = op.attributes.text("direction", "");
    op.require(direction == "LEFT" || direction == "RIGHT", "attribute direction is '", direction,
               "', expected LEFT or RIGHT");
    return {op.add(direction == "LEFT" ? "BitwiseLeftShift" : "BitwiseRightShift",
                   {op.input(0), op.input(1)})};
}

Outputs is_inf(Operator& op) {
    return {op.add("IsInf", {op.input(0)},
                   {{"detect_negative", op.attributes.integer("detect_negative", 1) != 0},
                    {"detect_positive", op.attributes.integer("detect_positive", 1) != 0}})};
}

const OperatorRow kRows[] = {
    {.type = "Abs", .since = 6, .translate = same},
    {.type = "Acos", .since = 7, .translate = same},
    {.type = "Acosh", .since = 9, .translate = same},
    {.type = "Asin", .since = 7, .translate = same},
    {.type = "Asinh", .since = 9, .translate = same},
    {.type = "Atan", .since = 7, .translate = same},
    {.type = "Atanh", .since = 9, .translate = same},
    {.type = "Ceil", .since = 6, .translate = same},
    {.type = "Cos", .since = 7, .translate = same},
    {.type = "Cosh", .since = 9, .translate = same},
    {.type = "Erf", .since = 9, .translate = same},
    {.type = "Exp", .since = 6, .translate = same},
    {.type = "Floor", .since = 6, .translate = same},
    {.type = "Log", .since = 6, .translate = same},
    {.type = "Neg", .since = 6, .translate = same},
    {.type = "Sign", .since = 9, .translate = same},
    {.type = "Sin", .since = 7, .translate = same},
    {.type = "Sinh", .since = 9, .translate = same},
    {.type = "Sqrt", .since = 6, .translate = same},
    {.type = "Tan", .since = 7, .translate = same},
    {.type = "Not", .since = 1, .translate = same},
    {.type = "IsNaN", .since = 9, .translate = same},
    {.type = "IsInf", .since = 10, .translate = is_inf},
    {.type = "Round", .since = 11, .translate = round},
    {.type = "Reciprocal", .since = 6, .translate = reciprocal},
    {.type = "Add", .since = 7, .translate = same},
    {.type = "Sub", .since = 7, .translate = same},
    {.type = "Mul", .since = 7, .translate = same},
    {.type = "Div", .since = 7, .translate = divide},
    {.type = "Pow", .since = 7, .translate = power},
    {.type = "Mod", .since = 10, .translate = modulo},
    {.type = "Sum", .since = 6, .translate = sum},
    {.type = "Mean", .since = 6, .translate = mean},
    {.type = "Max", .since = 6, .translate = maximum},
    {.type = "Min", .since = 6, .translate = minimum},
    {.type = "And", .since = 7, .translate = same},
    {.type = "Or", .since = 7, .translate = same},
    {.type = "Xor", .since = 7, .translate = same},
    {.type = "Equal", .since = 7, .translate = same},
    {.type = "Less", .since = 7, .translate = same},
    {.type = "Greater", .since = 7, .translate = same},
    {.type = "LessOrEqual", .since = 12, .translate = same},
    {.type = "GreaterOrEqual", .since = 12, .translate = same},
    {.type = "Where", .since = 9, .translate = same},
    {.type = "BitShift", .since = 11, .translate = bit_shift},
    {.type = "BitwiseAnd", .since = 18, .translate = same},
    {.type = "BitwiseOr", .since = 18, .translate = same},
    {.type = "BitwiseXor", .since = 18, .translate = same},
    {.type = "BitwiseNot", .since = 18, .translate = same},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::elementwise_operators
