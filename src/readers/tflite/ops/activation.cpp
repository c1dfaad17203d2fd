// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Activations, softmax.
#include "readers/tflite/operator_table.hpp"
#include "readers/tflite/ops/grids.hpp"
#include "readers/tflite/ops/hard_swish_table.hpp"

namespace fuseq::tflite_reader::activation_operators {
namespace {

using ::tflite::ActivationFunctionType;

Values rectifier(Operator& op, ActivationFunctionType function) {
    const Aligned x = op.either(0);
    if (is_quantized(op)) {
        return x.result(op.add("Requantize", x.values, grids(op, {0}, function)));
    }
    return x.result(op.activation(x.values[0], function));
}

Values relu(Operator& op) {
    return rectifier(op, ActivationFunctionType::RELU);
}
Values relu6(Operator& op) {
    return rectifier(op, ActivationFunctionType::RELU6);
}
Values relu_n1_to_1(Operator& op) {
    return rectifier(op, ActivationFunctionType::RELU_N1_TO_1);
}

Values relu_0_to_1(Operator& op) {
    const Aligned x = op.either(0);
    const auto operation = [&](const std::vector<Output>& values) {
        return op.add("Clamp", values, {{"min", 0.0F}, {"max", 1.0F}});
    };
    return is_quantized(op) ? through_reals(op, x, operation) : x.result(operation(x.values));
}

// Integers of 8 bits by a table of 256 values.
Values smooth(Operator& op,
              const char* type,
              const char* function,
              const ModelAttributes& attributes = {}) {
    const Aligned x = op.either(0);
    if (!is_quantized(op)) {
        return x.result(op.add(type, x.values, attributes));
    }
    ModelAttributes table = grids(op, {0});
    table.push_back({"function", function});
    return x.result(op.add("QuantizedTable", x.values, table));
}

Values logistic(Operator& op) {
    return smooth(op, "Sigmoid", "sigmoid");
}
Values tanh(Operator& op) {
    return smooth(op, "Tanh", "tanh");
}
Values elu(Operator& op) {
    return smooth(op, "Elu", "elu", {{"alpha", 1.0F}});
}

Values gelu(Operator& op) {
    const Aligned x = op.either(0);
    const bool approximate = op.options<::tflite::GeluOptions>().approximate();
    const auto operation = [&](const std::vector<Output>& values) {
        return op.add("Gelu", values, {{"approximation_mode", approximate ? "TANH" : "ERF"}});
    };
    return is_quantized(op) ? through_reals(op, x, operation) : x.result(operation(x.values));
}

Values hard_swish(Operator& op) {
    if (is_quantized(op)) {
        grids(op, {0});  // refuses several scales
        const HardSwishTable table(op.tensor(0), op.output_tensor());
        return through_table(op, [&](std::int64_t x) { return table(x); });
    }
    const Aligned x = op.either(0);
    return x.result(op.add("HSwish", x.values));
}

Values leaky_relu(Operator& op) {
    const float alpha = op.options<::tflite::LeakyReluOptions>().alpha();
    const Aligned x = op.either(0);
    if (is_quantized(op)) {
        ModelAttributes attributes = grids(op, {0});
        attributes.push_back({"alpha", alpha});
        return x.result(op.add("QuantizedLeakyRelu", x.values, attributes));
    }
    return x.result(op.add("PReLU", {x.values[0], op.scalar(alpha, x.values[0])}));
}

// x where it is positive, x * alpha elsewhere; each is requantized by itself.
Values prelu(Operator& op) {
    const Aligned operands = op.aligned(2);
    const Output x = operands.values[0];
    if (is_quantized(op)) {
        const Output positive = op.add("Requantize", {x}, grids(op, {0}));
        ModelAttributes product = grids(op, {0, 1});
        product.push_back({"slope", true});
        const Output negative = op.add("QuantizedMultiply", operands.values, product);
        const Output zero =
            op.scalar(static_cast<double>(op.tensor(0).quantization.zero_point()), x);
        const Output above = op.add("GreaterEqual", {x, zero});
        return operands.result(op.add("Select", {above, positive, negative}));
    }
    const Output zero = op.scalar(0, x);
    const Output above = op.add("Maximum", {x, zero});
    const Output below =
        op.add("Multiply", {op.add("Minimum", {x, zero}), op.real(1, operands.values[1])});
    return operands.result(op.add("Add", {above, below}));
}

Values softmax(Operator& op) {
    const float beta = op.options<::tflite::SoftmaxOptions>().beta();
    const Output x = op.input(0);
    const auto last = static_cast<std::int64_t>(op.rank(x)) - 1;
    op.require(last >= 0, "the input is a scalar");
    if (is_quantized(op)) {
        ModelAttributes attributes = grids(op, {0});
        attributes.push_back({"beta", beta});
        attributes.push_back({"axis", last});
        return plain(op.add("QuantizedSoftmax", {x}, attributes));
    }
    const Output scaled = beta == 1.0F ? x : op.add("Multiply", {x, op.scalar(beta, x)});
    return plain(op.add("SoftMax", {scaled}, {{"axis", last}}));
}

Values log_softmax(Operator& op) {
    const Output x = op.input(0);
    const auto last = static_cast<std::int64_t>(op.rank(x)) - 1;
    const auto operation = [&](const std::vector<Output>& values) {
        return op.add("LogSoftmax", values, {{"axis", last}});
    };
    if (is_quantized(op) && size_of(x.type()) == 1) {
        ModelAttributes attributes = grids(op, {0});
        attributes.push_back({"logarithm", true});
        attributes.push_back({"axis", last});
        return plain(op.add("QuantizedSoftmax", {x}, attributes));
    }
    return is_quantized(op) ? through_reals(op, {.values = {x}}, operation) : plain(operation({x}));
}

const OperatorRow kRows[] = {
    {.type = "ELU", .newest = 2, .translate = elu},
    {.type = "GELU", .newest = 2, .translate = gelu, .note = "quantized: in f32"},
    {.type = "HARD_SWISH", .newest = 1, .translate = hard_swish},
    {.type = "LEAKY_RELU", .newest = 2, .translate = leaky_relu},
    {.type = "LOGISTIC", .newest = 3, .translate = logistic},
    {.type = "LOG_SOFTMAX", .newest = 2, .translate = log_softmax, .note = "16 bits: in f32"},
    {.type = "PRELU", .newest = 1, .translate = prelu},
    {.type = "RELU", .newest = 3, .translate = relu},
    {.type = "RELU6", .newest = 3, .translate = relu6},
    {.type = "RELU_0_TO_1", .newest = 2, .translate = relu_0_to_1, .note = "quantized: in f32"},
    {.type = "RELU_N1_TO_1", .newest = 2, .translate = relu_n1_to_1},
    {.type = "SOFTMAX", .newest = 3, .translate = softmax},
    {.type = "TANH", .newest = 3, .translate = tanh},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::activation_operators
