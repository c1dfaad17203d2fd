// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Activation functions.
#include "readers/onnx/operator_table.hpp"

#include <algorithm>
#include <limits>

namespace fuseq::onnx_reader::activation_operators {
namespace {

using Outputs = std::vector<Output>;

// Operations of the Model that are defined alike.
struct SameName {
    std::string_view onnx;
    std::string_view model;
};
constexpr SameName kSame[] = {
    {"Relu", "ReLU"},         {"Sigmoid", "Sigmoid"},   {"Tanh", "Tanh"},
    {"Softplus", "SoftPlus"}, {"Softsign", "SoftSign"}, {"Mish", "Mish"},
    {"HardSwish", "HSwish"},
};

Outputs same(Operator& op) {
    for (const SameName& pair : kSame) {
        if (pair.onnx == op.type()) {
            return {op.add(pair.model, {op.input(0)})};
        }
    }
    op.fail("has no counterpart in the Model");
}

Outputs leaky_relu(Operator& op) {
    const Output x = op.input(0);
    const float alpha = op.attributes.real("alpha", 0.01F);
    const Output slope = op.constant(Tensor::of<float>(Shape{1}, {alpha}).to(x.type()));
    return {op.add("PReLU", {x, slope})};
}

// A slope of ONNX broadcasts from the last dimension; a vector of the Model's PReLU may belong to
// the channels, so the slope gets the rank of x.
Outputs prelu(Operator& op) {
    const Output x = op.input(0);
    Output slope = op.input(1);
    const std::size_t missing =
        op.rank(x, "x") - std::min(op.rank(x, "x"), op.rank(slope, "slope"));
    std::vector<std::int64_t> axes(missing);
    for (std::size_t i = 0; i < missing; ++i) {
        axes[i] = static_cast<std::int64_t>(i);
    }
    if (op.rank(slope, "slope") != 0) {
        slope = op.unsqueeze(slope, axes);
    }
    return {op.add("PReLU", {x, slope})};
}

Outputs elu(Operator& op) {
    return {op.add("Elu", {op.input(0)}, {{"alpha", op.attributes.real("alpha", 1.0F)}})};
}

Outputs selu(Operator& op) {
    const Output x = op.input(0);
    const float alpha = op.attributes.real("alpha", 1.67326319217681884765625F);
    const float gamma = op.attributes.real("gamma", 1.05070102214813232421875F);
    return {op.add("Selu", {x, op.scalar(alpha, x), op.scalar(gamma, x)})};
}

// alpha * elu(x / alpha)
Outputs celu(Operator& op) {
    const Output x = op.input(0);
    const Output alpha = op.scalar(op.attributes.real("alpha", 1.0F), x);
    const Output inner = op.add("Elu", {op.add("Divide", {x, alpha})}, {{"alpha", 1.0F}});
    return {op.add("Multiply", {inner, alpha})};
}

Outputs hard_sigmoid(Operator& op) {
    const Output x = op.input(0);
    const Output alpha = op.scalar(op.attributes.real("alpha", 0.2F), x);
    const Output beta = op.scalar(op.attributes.real("beta", 0.5F), x);
    return {op.add("HardSigmoid", {x, alpha, beta})};
}

Outputs thresholded_relu(Operator& op) {
    const Output x = op.input(0);
    const Output above = op.add("Greater", {x, op.scalar(op.attributes.real("alpha", 1.0F), x)});
    return {op.add("Select", {above, x, op.scalar(0, x)})};
}

// x + bias below -lambd, x - bias above lambd, else 0.
Outputs shrink(Operator& op) {
    const Output x = op.input(0);
    const double lambd = op.attributes.real("lambd", 0.5F);
    const Output bias = op.scalar(op.attributes.real("bias", 0.0F), x);
    const Output low = op.add("Less", {x, op.scalar(-lambd, x)});
    const Output high = op.add("Greater", {x, op.scalar(lambd, x)});
    const Output upper = op.add("Select", {high, op.add("Subtract", {x, bias}), op.scalar(0, x)});
    return {op.add("Select", {low, op.add("Add", {x, bias}), upper})};
}

Outputs gelu(Operator& op) {
    const std::string mode = op.attributes.text("approximate", "none");
    op.require(mode == "none" || mode == "tanh", "attribute approximate is '", mode,
               "', expected none or tanh");
    return {op.add("Gelu", {op.input(0)},
                   {{"approximation_mode", std::string(mode == "tanh" ? "TANH" : "ERF")}})};
}

Outputs gelu_erf(Operator& op) {
    return {op.add("Gelu", {op.input(0)}, {{"approximation_mode", std::string("ERF")}})};
}

Outputs with_bias(Operator& op, const char* mode) {
    const Output x = op.has_input(1) ? op.add("Add", {op.input(0), op.input(1)}) : op.input(0);
    return {op.add("Gelu", {x}, {{"approximation_mode", std::string(mode)}})};
}
Outputs fast_gelu(Operator& op) {
    return with_bias(op, "TANH");
}
Outputs bias_gelu(Operator& op) {
    return with_bias(op, "ERF");
}

// x * sigmoid(alpha * x)
Outputs quick_gelu(Operator& op) {
    const Output x = op.input(0);
    return {op.add("Swish", {x, op.scalar(op.attributes.real("alpha", 1.702F), x)})};
}

Outputs limit(Operator& op, const Output& low, const Output& high) {
    const Output x = op.input(0);
    Output y = low ? op.add("Maximum", {x, low}) : x;
    y = high ? op.add("Minimum", {y, high}) : y;
    return {y};
}

Outputs clamp(Operator& op, double low, double high) {
    const Output x = op.input(0);
    if (!is_real(x.type()) || low > high) {
        return limit(op, op.scalar(low, x), op.scalar(high, x));
    }
    return {op.add("Clamp", {x},
                   {{"min", static_cast<float>(low)}, {"max", static_cast<float>(high)}})};
}

constexpr double kLargest = std::numeric_limits<float>::max();

Outputs clip_by_attributes(Operator& op) {
    return clamp(op, op.attributes.real("min", static_cast<float>(-kLargest)),
                 op.attributes.real("max", static_cast<float>(kLargest)));
}

Outputs clip_by_inputs(Operator& op) {
    const bool has_low = op.has_input(1);
    const bool has_high = op.has_input(2);
    const bool constant =
        (!has_low || op.value(op.input(1))) && (!has_high || op.value(op.input(2)));
    if (constant && is_real(op.input(0).type())) {
        return clamp(op, has_low ? op.real(op.input(1), "min") : -kLargest,
                     has_high ? op.real(op.input(2), "max") : kLargest);
    }
    return limit(op, has_low ? op.input(1) : Output{}, has_high ? op.input(2) : Output{});
}

constexpr std::string_view kMicrosoft = "com.microsoft";
const OperatorRow kRows[] = {
    {.type = "Relu", .since = 6, .translate = same},
    {.type = "Sigmoid", .since = 6, .translate = same},
    {.type = "Tanh", .since = 6, .translate = same},
    {.type = "Softplus", .since = 1, .translate = same},
    {.type = "Softsign", .since = 1, .translate = same},
    {.type = "Mish", .since = 18, .translate = same},
    {.type = "HardSwish", .since = 14, .translate = same},
    {.type = "LeakyRelu", .since = 6, .translate = leaky_relu},
    {.type = "PRelu", .since = 7, .translate = prelu},
    {.type = "Elu", .since = 6, .translate = elu},
    {.type = "Selu", .since = 6, .translate = selu},
    {.type = "Celu", .since = 12, .translate = celu},
    {.type = "HardSigmoid", .since = 6, .translate = hard_sigmoid},
    {.type = "ThresholdedRelu", .since = 10, .translate = thresholded_relu},
    {.type = "Shrink", .since = 9, .translate = shrink},
    {.type = "Gelu", .since = 20, .translate = gelu},
    {.type = "Clip", .since = 6, .translate = clip_by_attributes},
    {.type = "Clip", .since = 11, .translate = clip_by_inputs},
    {.type = "Gelu", .since = 1, .translate = gelu_erf, .domain = kMicrosoft},
    {.type = "FastGelu", .since = 1, .translate = fast_gelu, .domain = kMicrosoft},
    {.type = "BiasGelu", .since = 1, .translate = bias_gelu, .domain = kMicrosoft},
    {.type = "QuickGelu", .since = 1, .translate = quick_gelu, .domain = kMicrosoft},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::activation_operators
