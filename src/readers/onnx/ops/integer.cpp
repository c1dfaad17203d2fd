// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of integers, exactly: matrix products in i32, convolutions in f64, since the Model's
// convolutions of integers give f32. QLinearConv, QLinearMatMul, ConvInteger, MatMulInteger and the
// forms of com.microsoft. Results are requantized in f32 by the rule of ONNX Runtime:
// round(sum * f32(f32(sa * sb) / sy)) + zy.
#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/convolution.hpp"
#include "readers/onnx/ops/quantization.hpp"
#include "readers/onnx/ops/quantized.hpp"
#include "readers/onnx/ops/window.hpp"

namespace fuseq::onnx_reader::integer_operators {
namespace {

using Outputs = std::vector<Output>;

// A scale, or what else is said of an axis, in the shape that broadcasts to a tensor of that rank.
Output along(Operator& op,
             const Output& value,
             std::size_t rank,
             std::size_t axis,
             const char* what = "scale") {
    const PartialShape& shape = value.partial_shape();
    if (!shape.rank_is_static() || shape.rank() != 1) {
        return value;
    }
    if (shape[0] == Dimension(1)) {
        return op.reshape(value, {});
    }
    op.require(axis < rank, "a ", what, " of shape ", to_string(shape),
               " belongs to an axis that data of rank ", rank, " do not have");
    std::vector<std::int64_t> sizes(rank, 1);
    sizes[axis] = -1;
    return op.reshape(value, sizes);
}

// q - zero point as i32; one zero point, or one an index of `axis` of a tensor of that rank.
Output centered(
    Operator& op, const Output& q, const Output& zero_point, std::size_t rank, std::size_t axis) {
    const Output integers = op.convert(q, ElementType::i32);
    if (!zero_point) {
        return integers;
    }
    const Output zero = op.convert(zero_point, ElementType::i32);
    op.rank(zero, "the zero point");  // is known
    return op.add("Subtract", {integers, along(op, zero, rank, axis, "zero point")});
}

Output convolve_integers(Operator& op, const Output& x, const Output& w) {
    const Output sum =
        convolve(op, op.convert(x, ElementType::f64), op.convert(w, ElementType::f64));
    return op.convert(sum, ElementType::i32);
}

Output optional_input(const Operator& op, std::size_t i) {
    return op.has_input(i) ? op.input(i) : Output{};
}

struct ResultScales {
    Output factor;  // f32(sa * sb) / sy
    Output zero_point;
};

Output requantize(Operator& op, const Output& sum, const ResultScales& to) {
    const Output real = op.add("Multiply", {op.convert(sum, ElementType::f32), to.factor});
    Output y = op.add("Round", {real}, {{"mode", std::string("half_to_even")}});
    const Output zero = op.convert(to.zero_point, ElementType::f32);
    y = op.add("Add", {y, op.rank(zero) == 0 ? zero : op.reshape(zero, {})});
    return saturate(op, y, to.zero_point.type());
}

Output product_factor(Operator& op, const Output& a, const Output& b, const Output& y) {
    return op.add("Divide", {op.add("Multiply", {a, b}), along(op, y, 1, 0)});
}

Outputs conv_integer(Operator& op) {
    if (const Output result = integer_convolution(op)) {
        return {result};
    }
    const std::size_t rank = op.rank(op.input(1), "the weights");
    const Output x = centered(op, op.input(0), optional_input(op, 2), rank, 1);
    const Output w = centered(op, op.input(1), optional_input(op, 3), rank, 0);
    return {convolve_integers(op, x, w)};
}

// x, sx, zx, w, sw, zw, sy, zy, bias
Outputs qlinear_conv(Operator& op) {
    if (const Output result = quantized_convolution(op)) {
        return {result};
    }
    const std::size_t rank = op.rank(op.input(3), "the weights");
    const Output x = centered(op, op.input(0), op.input(2), rank, 1);
    const Output w = centered(op, op.input(3), op.input(5), rank, 0);
    Output sum = convolve_integers(op, x, w);
    if (op.has_input(8)) {
        sum = op.add("Add", {sum, channel_vector(op, op.input(8), rank)});
    }
    const Output factor = product_factor(op, along(op, op.input(1), rank, 1),
                                         along(op, op.input(4), rank, 1), op.input(6));
    return {requantize(op, sum, {factor, op.input(7)})};
}

// Zero points of a belong to its rows, those of b to its columns.
Output multiply_integers(
    Operator& op, const Output& a, const Output& za, const Output& b, const Output& zb) {
    if (const Output result = integer_product(op, a, za, b, zb)) {
        return result;
    }
    const std::size_t rows = op.rank(a);
    const std::size_t columns = op.rank(b);
    const Output left = centered(op, a, za, rows, rows < 2 ? 0 : rows - 2);
    const Output right = centered(op, b, zb, columns, columns - 1);
    return op.add("MatMul", {left, right});
}

Outputs matmul_integer(Operator& op) {
    return {multiply_integers(op, op.input(0), optional_input(op, 2), op.input(1),
                              optional_input(op, 3))};
}

// a, sa, za, b, sb, zb, sy, zy
Outputs qlinear_matmul(Operator& op) {
    if (const Output result = quantized_matmul(op)) {
        return {result};
    }
    const Output sum = multiply_integers(op, op.input(0), op.input(2), op.input(3), op.input(5));
    const std::size_t rank = op.rank(sum);
    const Output factor =
        product_factor(op, along(op, op.input(1), rank, rank < 2 ? 0 : rank - 2),
                       along(op, op.input(4), rank, rank < 1 ? 0 : rank - 1), op.input(6));
    return {requantize(op, sum, {factor, op.input(7)})};
}

// a, b, sa, sb, za, zb, bias
Outputs matmul_integer_to_float(Operator& op) {
    const Output sum = multiply_integers(op, op.input(0), optional_input(op, 4), op.input(1),
                                         optional_input(op, 5));
    const std::size_t rank = op.rank(sum);
    const Output scale = op.add("Multiply", {along(op, op.input(2), rank, rank < 2 ? 0 : rank - 2),
                                             along(op, op.input(3), rank, rank - 1)});
    const Output y = op.add("Multiply", {op.convert(sum, ElementType::f32), scale});
    return {op.has_input(6) ? op.add("Add", {y, op.input(6)}) : y};
}

// a (f32), b, sb, zb, bias
Outputs dynamic_quantize_matmul(Operator& op) {
    const DynamicallyQuantized a = dynamic_quantize(op, op.input(0));
    const Output sum =
        multiply_integers(op, a.values, a.zero_point, op.input(1), optional_input(op, 3));
    const std::size_t rank = op.rank(sum);
    const Output scale =
        op.add("Multiply", {a.scale, along(op, op.input(2), rank, rank < 1 ? 0 : rank - 1)});
    const Output y = op.add("Multiply", {op.convert(sum, ElementType::f32), scale});
    return {op.has_input(4) ? op.add("Add", {y, op.input(4)}) : y};
}

// a, sa, za, b, sb, zb, bias, sy, zy
Outputs qgemm(Operator& op) {
    if (const Output result = quantized_gemm(op)) {
        return {result};
    }
    const auto oriented = [&](std::size_t i, const char* attribute) {
        return op.attributes.integer(attribute, 0) != 0 ? op.transpose(op.input(i), {1, 0})
                                                        : op.input(i);
    };
    Output sum = multiply_integers(op, oriented(0, "transA"), op.input(2), oriented(3, "transB"),
                                   op.input(5));
    if (op.has_input(6)) {
        sum = op.add("Add", {sum, op.input(6)});
    }
    const float alpha = op.attributes.real("alpha", 1.0F);
    Output scale = along(op, op.input(1), 2, 0);
    scale = alpha == 1.0F ? scale : op.add("Multiply", {op.scalar(alpha, scale), scale});
    scale = op.add("Multiply", {scale, along(op, op.input(4), 2, 1)});
    if (!op.has_input(7)) {
        return {op.add("Multiply", {op.convert(sum, ElementType::f32), scale})};
    }
    const Output factor = op.add("Divide", {scale, along(op, op.input(7), 1, 0)});
    return {requantize(op, sum, {factor, op.input(8)})};
}

constexpr std::string_view kMicrosoft = "com.microsoft";
const OperatorRow kRows[] = {
    {.type = "ConvInteger", .since = 10, .translate = conv_integer},
    {.type = "MatMulInteger", .since = 10, .translate = matmul_integer},
    {.type = "QLinearConv", .since = 10, .translate = qlinear_conv},
    {.type = "QLinearMatMul", .since = 10, .translate = qlinear_matmul},
    {.type = "MatMulIntegerToFloat",
     .since = 1,
     .translate = matmul_integer_to_float,
     .domain = kMicrosoft},
    {.type = "DynamicQuantizeMatMul",
     .since = 1,
     .translate = dynamic_quantize_matmul,
     .domain = kMicrosoft},
    {.type = "QGemm", .since = 1, .translate = qgemm, .domain = kMicrosoft},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::integer_operators
