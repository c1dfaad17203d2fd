// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of one value, softmax, and what is the same in an inference.
#include <limits>

#include "readers/mxnet/operator_table.hpp"

namespace fuseq::mxnet_reader::function_operators {
namespace {

using Outputs = std::vector<Output>;

Output by_name(Operator& op, const std::string& name) {
    if (name == "softrelu") {
        return op.add("SoftPlus", {op.input(0)});
    }
    if (name == "softsign") {
        return op.add("SoftSign", {op.input(0)});
    }
    const char* type = name == "relu"      ? "ReLU"
                       : name == "sigmoid" ? "Sigmoid"
                       : name == "tanh"    ? "Tanh"
                       : name == "exp"     ? "Exp"
                       : name == "log"     ? "Log"
                       : name == "sqrt"    ? "Sqrt"
                       : name == "abs"     ? "Abs"
                                           : nullptr;
    op.require(type != nullptr, "the function ", name, " is not supported");
    return op.add(type, {op.input(0)});
}

Outputs activation(Operator& op) {
    return {by_name(op, op.attributes.text("act_type", ""))};
}

Outputs function(Operator& op) {
    return {by_name(op, op.type())};
}

Outputs leaky_relu(Operator& op) {
    const Output x = op.input(0);
    const std::string type = op.attributes.text("act_type", "leaky");
    const double slope = op.attributes.real("slope", 0.25);
    if (type == "leaky") {
        return {op.add("PReLU", {x, op.scalar(slope, x)})};
    }
    if (type == "prelu") {
        return {op.add("PReLU", {x, op.input(1)})};
    }
    if (type == "elu") {
        return {op.add("Elu", {x}, {{"alpha", static_cast<float>(slope)}})};
    }
    op.require(type == "gelu", "act_type is ", type, ", expected leaky, prelu, elu or gelu");
    return {op.add("Gelu", {x})};
}

Outputs clip(Operator& op) {
    const auto low =
        static_cast<float>(op.attributes.real("a_min", std::numeric_limits<float>::lowest()));
    const auto high =
        static_cast<float>(op.attributes.real("a_max", std::numeric_limits<float>::max()));
    op.require(low <= high, "a_min is ", low, ", a_max is ", high);
    return {op.add("Clamp", {op.input(0)}, {{"min", low}, {"max", high}})};
}

Outputs identity(Operator& op) {
    return {op.input(0)};
}

Outputs softmax(Operator& op) {
    const double temperature = op.attributes.real("temperature", 1);
    op.require(temperature == 1, "temperature is ", temperature, ", expected 1");
    return {op.add("SoftMax", {op.input(0)}, {{"axis", op.attributes.integer("axis", -1)}})};
}

// The label is not read. multi_output: over the channels, else over all but the batch.
Outputs softmax_output(Operator& op) {
    const Output x = op.input(0);
    const std::size_t rank = op.rank(x);
    const bool channels = op.attributes.flag("multi_output", false);
    op.require(channels || rank == 2 || op.attributes.flag("preserve_shape", false),
               "the input has rank ", rank, ", expected 2, multi_output or preserve_shape");
    const std::int64_t axis = channels ? 1 : static_cast<std::int64_t>(rank) - 1;
    return {op.add("SoftMax", {x}, {{"axis", axis}})};
}

const OperatorRow kRows[] = {
    {"Activation", activation, "relu, sigmoid, tanh, softrelu, softsign"},
    {"BlockGrad", identity},
    {"Dropout", identity},
    {"LeakyReLU", leaky_relu, "leaky, prelu, elu, gelu"},
    {"SoftmaxActivation", softmax_output, "of rank 2"},
    {"SoftmaxOutput", softmax_output, "the label is not read"},
    {"_copy", identity},
    {"abs", function},
    {"clip", clip},
    {"exp", function},
    {"identity", identity},
    {"log", function},
    {"relu", function},
    {"sigmoid", function},
    {"softmax", softmax, "temperature is 1"},
    {"sqrt", function},
    {"tanh", function},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::mxnet_reader::function_operators
