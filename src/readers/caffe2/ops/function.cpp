// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of one value, and softmax.
#include <algorithm>
#include <cmath>

#include "readers/caffe2/operator_table.hpp"

namespace fuseq::caffe2_reader::function_operators {
namespace {

constexpr std::int64_t kBytes = 256;

void require_real(const Operator& op) {
    op.require(!op.value(0).grid, "input 0, '", op.input_name(0),
               "', is quantized, the operator takes real numbers");
}

Values function(Operator& op) {
    require_real(op);
    const char* type = op.type() == "Relu" ? "ReLU" : op.type() == "Tanh" ? "Tanh" : "Sigmoid";
    return op.in_any_order([&](const Output& x) { return op.add(type, {x}); });
}

Values leaky_relu(Operator& op) {
    require_real(op);
    return op.in_any_order([&](const Output& x) {
        return op.add("PReLU", {x, op.scalar(op.real("alpha", 0.01F), x)});
    });
}

Values elu(Operator& op) {
    require_real(op);
    return op.in_any_order([&](const Output& x) {
        return op.add("Elu", {x}, {{"alpha", op.real("alpha", 1.0F)}});
    });
}

Values clip(Operator& op) {
    require_real(op);
    const float low = op.real("min", std::numeric_limits<float>::lowest());
    const float high = op.real("max", std::numeric_limits<float>::max());
    op.require(low <= high, "min is ", low, ", max is ", high);
    return op.in_any_order([&](const Output& x) {
        return op.add("Clamp", {x}, {{"min", low}, {"max", high}});
    });
}

// The same in an inference.
Values identity(Operator& op) {
    const Value& source = op.value(0);
    return {source};
}

// The axis and all after it are one dimension.
Values softmax(Operator& op) {
    const Output x = op.input(0);
    const std::size_t rank = op.rank(x);
    const std::size_t axis = op.axis(op.integer("axis", 1), rank);
    if (axis + 1 == rank) {
        return plain(op.add("SoftMax", {x}, {{"axis", static_cast<std::int64_t>(axis)}}));
    }
    op.require(axis == 1, "axis is ", axis, ", expected 1 or the last dimension");
    const Output rows = op.add("SoftMax", {op.reshape(x, {0, -1})}, {{"axis", std::int64_t{1}}});
    return plain(op.add("Reshape", {rows, op.shape_of(x)}, {{"special_zero", false}}));
}

Values quantized_relu(Operator& op) {
    op.require_grid_of(0);
    const Grid grid = op.grid(0);
    const ModelAttributes attributes = op.grids({0}, grid, true);
    return op.in_any_order([&](const Output& x) { return op.add("Requantize", {x}, attributes); },
                           grid);
}

// table[q], for the bytes q of the file.
Values by_table(Operator& op,
                const Grid& result,
                const std::function<std::int64_t(std::int64_t)>& byte_of) {
    std::vector<std::int64_t> table;
    for (std::int64_t q = 0; q < kBytes; ++q) {
        table.push_back(std::clamp<std::int64_t>(byte_of(q), 0, kBytes - 1) - kOffset);
    }
    const Output values =
        op.constant(Tensor::of<std::int64_t>(Shape{table.size()}, table).to(ElementType::i8));
    return op.in_any_order(
        [&](const Output& x) {
            const Output wide = op.convert(x, ElementType::i32);
            const Output index = op.add("Add", {wide, op.scalar(kOffset, ElementType::i32)});
            return op.add("Gather", {values, index, op.int_scalar(0)});
        },
        result);
}

void require_grid_of_shares(const Operator& op) {
    constexpr float kStep = 1.0F / 256;
    const Grid result = op.output_grid();
    op.require(result.scale == kStep && result.zero_point == -kOffset, "Y_scale is ", result.scale,
               " and Y_zero_point ", result.zero_point + kOffset, ", expected 1/256 and 0");
}

// QNNPACK: 256 times the function, in f32, half to even.
Values quantized_sigmoid(Operator& op) {
    require_grid_of_shares(op);
    const Grid source = op.grid(0);
    return by_table(op, op.output_grid(), [&](std::int64_t q) {
        const float x = source.scale * static_cast<float>(q - kOffset - source.zero_point);
        return std::llrint(256.0F / (1.0F + std::exp(-x)));
    });
}

// QNNPACK: (si / so) * (q - z), times alpha below zero, in f32, half to even.
Values quantized_leaky_relu(Operator& op) {
    const Grid source = op.grid(0);
    const Grid result = op.output_grid();
    const float alpha = op.real("alpha", 0.01F);
    op.require(alpha > 0 && alpha < 1, "alpha is ", alpha, ", expected a value between 0 and 1");
    const float factor = source.scale / result.scale;
    return by_table(op, result, [&](std::int64_t q) {
        const float x = factor * static_cast<float>(q - kOffset - source.zero_point);
        const float y = std::clamp(x < 0 ? x * alpha : x, -512.0F, 512.0F);
        return std::llrint(y) + result.zero_point + kOffset;
    });
}

// QNNPACK: t = a table of exp((q - 255) * si) in integers, q moved so that the largest is 255;
// (256 t + sum / 2) / sum.
Values quantized_softmax(Operator& op) {
    require_grid_of_shares(op);
    const Grid source = op.grid(0);
    const Output x = op.stored(0);
    const std::size_t rank = op.rank(x);
    op.require(rank == 2 && op.integer("axis", 1) == 1, "axis is ", op.integer("axis", 1),
               " and the rank ", rank, ", expected 1 and 2");
    op.require(x.partial_shape()[1].is_static() && x.partial_shape()[1].get_length() > 0,
               "the number of classes is not known");
    const auto classes = static_cast<double>(x.partial_shape()[1].get_length());
    const double largest = std::min(4294967295.0 / classes, 8388607.0);
    std::vector<std::int64_t> table;
    for (std::int64_t i = 0; i < kBytes; ++i) {
        table.push_back(std::llrint(
            largest * std::exp(static_cast<double>(i - 255) * static_cast<double>(source.scale))));
    }
    const Output wide = op.convert(x, ElementType::i64);
    const Output top = op.add("ReduceMax", {wide, op.int_list({1})}, {{"keep_dims", true}});
    const Output index =
        op.add("Add", {op.add("Subtract", {wide, top}), op.scalar(255, ElementType::i64)});
    const Output values = op.constant(Tensor::of<std::int64_t>(Shape{table.size()}, table));
    const Output t = op.add("Gather", {values, index, op.int_scalar(0)});
    const Output sum = op.add("ReduceSum", {t, op.int_list({1})}, {{"keep_dims", true}});
    const Output half = op.add("Divide", {sum, op.scalar(2, ElementType::i64)});
    const Output scaled = op.add("Multiply", {t, op.scalar(256, ElementType::i64)});
    const Output share = op.add("Divide", {op.add("Add", {scaled, half}), sum});
    const Output capped = op.add("Minimum", {share, op.scalar(255, ElementType::i64)});
    const Output moved = op.add("Subtract", {capped, op.scalar(kOffset, ElementType::i64)});
    return plain(op.convert(moved, ElementType::i8), op.output_grid());
}

const OperatorRow kRows[] = {
    {"Alias", identity},
    {"Clip", clip},
    {"Copy", identity},
    {"Dropout", identity},
    {"Elu", elu},
    {"Int8LeakyRelu", quantized_leaky_relu},
    {"Int8Relu", quantized_relu, "one grid for input and output"},
    {"Int8Sigmoid", quantized_sigmoid, "the output's scale is 1/256, its zero point 0"},
    {"Int8Softmax", quantized_softmax, "of rank 2, axis 1; scale and zero point likewise"},
    {"LeakyRelu", leaky_relu},
    {"Relu", function},
    {"Sigmoid", function},
    {"Softmax", softmax, "axis 1 or the last one"},
    {"StopGradient", identity},
    {"Tanh", function},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::caffe2_reader::function_operators
