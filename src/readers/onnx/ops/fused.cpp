// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolution and product with an activation, as ONNX Runtime's optimizer saves them.
#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/convolution.hpp"
#include "readers/onnx/ops/matmul.hpp"

namespace fuseq::onnx_reader::fused_operators {
namespace {

using Outputs = std::vector<Output>;

// `values`: the activation's parameters in its order, as far as they are given.
Output activate(Operator& op, const Output& x, const std::vector<float>& values) {
    const std::string type = op.attributes.text("activation", "");
    const auto value = [&](std::size_t i, float fallback) {
        return i < values.size() ? values[i] : fallback;
    };
    if (type.empty()) {
        return x;
    }
    if (type == "Relu") {
        return op.add("ReLU", {x});
    }
    if (type == "Sigmoid" || type == "Tanh") {
        return op.add(type, {x});
    }
    if (type == "LeakyRelu") {
        const Tensor slope = Tensor::of<float>(Shape{1}, {value(0, 0.01F)});
        return op.add("PReLU", {x, op.constant(slope.to(x.type()))});
    }
    if (type == "Clip") {
        op.require(values.size() == 2 && values[0] <= values[1],
                   "activation Clip has no two parameters in order");
        return op.add("Clamp", {x}, {{"min", values[0]}, {"max", values[1]}});
    }
    op.require(type == "HardSigmoid", "activation is '", type,
               "', expected Relu, Sigmoid, Tanh, LeakyRelu, Clip or HardSigmoid");
    return op.add("HardSigmoid", {x, op.scalar(value(0, 0.2F), x), op.scalar(value(1, 0.5F), x)});
}

// Inputs: data, weights, bias, a summand.
Outputs fused_convolution(Operator& op) {
    const std::size_t rank = op.rank(op.input(1), "the weights");
    Output result = convolve(op, op.input(0), op.input(1));
    if (op.has_input(2)) {
        result = op.add("Add", {result, channel_vector(op, op.input(2), rank)});
    }
    if (op.has_input(3)) {
        result = op.add("Add", {result, op.input(3)});
    }
    return {activate(op, result, op.attributes.reals("activation_params"))};
}

Outputs fused_gemm(Operator& op) {
    std::vector<float> values;
    for (const char* name : {"activation_alpha", "activation_beta", "activation_gamma"}) {
        if (op.attributes.has(name)) {
            values.push_back(op.attributes.real(name, 0.0F));
        }
    }
    return {activate(op, gemm_product(op), values)};
}

const OperatorRow kRows[] = {
    {.type = "FusedConv", .since = 1, .translate = fused_convolution, .domain = "com.microsoft"},
    {.type = "FusedGemm", .since = 1, .translate = fused_gemm, .domain = "com.microsoft"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::fused_operators
