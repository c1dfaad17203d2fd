// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What MXNet's oneDNN backend fuses: a convolution with batch normalization, activation and sum, a fully
// connected layer with an activation. Quantized, the weights of the convolution are real numbers in the file and
// become integers here, as MXNet does when it runs first.
#include <algorithm>
#include <cmath>

#include "readers/mxnet/operator_table.hpp"
#include "readers/mxnet/ops/products.hpp"
#include "readers/mxnet/ops/window.hpp"

namespace fuseq::mxnet_reader::fused_operators {
namespace {

using Outputs = std::vector<Output>;

const SymbolNode* find_inner(const Operator& op, const char* type) {
    for (const SymbolNode& node : op.subgraph().nodes) {
        if (node.op == type) {
            return &node;
        }
    }
    return nullptr;
}

const SymbolNode& inner(const Operator& op, const char* type) {
    const SymbolNode* found = find_inner(op, type);
    op.require(found != nullptr, "its subgraph has no ", type);
    return *found;
}

// ReLU is the only activation that a grid takes.
bool has_relu(const Operator& op) {
    bool relu = false;
    for (const SymbolNode& node : op.subgraph().nodes) {
        const auto type = node.attributes.find("act_type");
        const bool known = node.is_variable() || node.op == "Convolution" ||
                           node.op == "FullyConnected" || node.op == "BatchNorm" ||
                           node.op == "Flatten" || node.op == "elemwise_add" ||
                           node.op == "_Plus" || node.op == "broadcast_add";
        const bool is_relu =
            node.op == "relu" ||
            (node.op == "Activation" && type != node.attributes.end() && type->second == "relu");
        op.require(known || is_relu, "has ", node.op, " '", node.name,
                   "' in its quantized subgraph; ReLU is supported");
        relu = relu || is_relu;
    }
    return relu;
}

std::vector<float> constant_floats(const Operator& op, std::size_t input, const char* what) {
    const auto known = op.value(op.input(input));
    op.require(known && is_real(known->get_element_type()), what, ", input ", input,
               ", are no constant real numbers");
    return to_floats(*known);
}

// Weights [filters, ...] and bias, real numbers while they are folded.
struct Filters {
    std::vector<float> weights;
    std::vector<float> bias;  // may be empty
    std::size_t count = 0;
    std::size_t row() const { return count == 0 ? 0 : weights.size() / count; }
};

// gamma, beta, mean and variance are the inputs from `first` on.
void fold_normalization(const Operator& op, std::size_t first, Filters& filters) {
    const SymbolNode& node = inner(op, "BatchNorm");
    const TextAttributes attributes(node.attributes, op.place());
    const auto gamma = constant_floats(op, first, "gamma");
    const auto beta = constant_floats(op, first + 1, "beta");
    const auto mean = constant_floats(op, first + 2, "the means");
    const auto variance = constant_floats(op, first + 3, "the variances");
    for (const auto* vector : {&gamma, &beta, &mean, &variance}) {
        op.require(vector->size() == filters.count, "a vector of the batch normalization has ",
                   vector->size(), " values, the weights have ", filters.count, " filters");
    }
    const bool fixed = attributes.flag("fix_gamma", true);
    const auto epsilon = static_cast<float>(attributes.real("eps", 1e-3));
    filters.bias.resize(filters.count, 0);
    for (std::size_t c = 0; c < filters.count; ++c) {
        const float alpha = (fixed ? 1.0F : gamma[c]) / std::sqrt(variance[c] + epsilon);
        op.require(std::isfinite(alpha), "the batch normalization has the variance ", variance[c],
                   " in channel ", c);
        filters.bias[c] = beta[c] + alpha * (filters.bias[c] - mean[c]);
        for (std::size_t k = 0; k < filters.row(); ++k) {
            filters.weights[c * filters.row() + k] *= alpha;
        }
    }
}

struct QuantizedFilters {
    Tensor weights;  // i8
    std::vector<float> scales;
    std::vector<std::int64_t> bias;  // in the scales of the products
};

float magnitude(const float* from, std::size_t count) {
    float largest = 0;
    for (std::size_t k = 0; k < count; ++k) {
        largest = std::max(largest, std::abs(from[k]));
    }
    return largest;
}

// 127 steps for the largest magnitude of each filter, or of all, half away from zero.
QuantizedFilters quantize_filters(const Operator& op,
                                  const Filters& filters,
                                  const Shape& shape,
                                  float data_scale) {
    constexpr float kSteps = 127;
    const bool channelwise = op.attributes.flag("channel_wise_quantize", true) &&
                             op.attributes.flag("weight_channelwise_scale", true);
    const float whole = magnitude(filters.weights.data(), filters.weights.size());
    QuantizedFilters result{.weights = Tensor(ElementType::i8, shape), .scales = {}, .bias = {}};
    const std::size_t row = filters.row();
    for (std::size_t c = 0; c < filters.count; ++c) {
        const float* from = filters.weights.data() + c * row;
        const float range = channelwise ? magnitude(from, row) : whole;
        op.require(std::isfinite(range), "the weights of filter ", c, " are not finite");
        // A filter of zeros alone has any scale.
        const float steps = range > 0 ? kSteps / range : kSteps;
        result.scales.push_back(1 / steps);
        op.require(result.scales.back() > 0 && std::isfinite(steps), "the weights of filter ", c,
                   " have the range ", range);
        for (std::size_t k = 0; k < row; ++k) {
            result.weights.data<std::int8_t>()[c * row + k] =
                static_cast<std::int8_t>(std::round(steps * from[k]));
        }
        if (!filters.bias.empty()) {
            const double value = std::round(static_cast<double>(steps) / data_scale *
                                            static_cast<double>(filters.bias[c]));
            constexpr double kLimit = 2147483647.0;
            op.require(std::abs(value) <= kLimit, "the bias of filter ", c, ", ", filters.bias[c],
                       ", does not fit into 32 bits");
            result.bias.push_back(static_cast<std::int64_t>(value));
        }
    }
    return result;
}

// Where the inputs of a quantized convolution are.
struct ConvolutionInputs {
    bool biased = false;
    bool normalized = false;
    bool summed = false;
    std::size_t normalization = 0;
    std::size_t sum = 0;
    std::size_t ranges = 0;
};

ConvolutionInputs find_inputs(const Operator& op, const TextAttributes& convolution) {
    ConvolutionInputs at;
    at.biased = !convolution.flag("no_bias", false);
    at.normalized = op.attributes.flag("with_bn", false);
    at.summed = op.attributes.flag("with_sum", false);
    at.normalization = at.biased ? 3 : 2;
    at.sum = at.normalization + (at.normalized ? 4 : 0);
    at.ranges = at.sum + (at.summed ? 1 : 0);
    op.require_inputs(at.ranges + (at.summed ? 4 : 2));
    return at;
}

// sums * scales + the other operand, ReLU, and rounded once.
Output sum_and_round(Operator& op,
                     const Output& sums,
                     const std::vector<float>& scales,
                     const ConvolutionInputs& at,
                     const Grid& result,
                     ElementType type) {
    const Grid other = op.grid(at.sum, at.ranges + 2, at.ranges + 3);
    const Output product =
        op.add("Dequantize", {sums}, {{"scales", scales}, {"axis", std::int64_t{1}}});
    const Output operand = op.add("Dequantize", {op.input(at.sum)},
                                  {{"scales", std::vector<float>{other.scale}},
                                   {"zero_points", std::vector<std::int64_t>{other.zero_point}}});
    Output real = op.add("Add", {product, operand});
    if (has_relu(op)) {
        real = op.add("ReLU", {real});
    }
    return op.add("Quantize", {real},
                  {{"method", kMethod},
                   {"scales", std::vector<float>{result.scale}},
                   {"zero_points", std::vector<std::int64_t>{result.zero_point}},
                   {"output_type", type}});
}

Outputs quantized_convolution(Operator& op) {
    const TextAttributes attributes(inner(op, "Convolution").attributes, op.place());
    const ConvolutionInputs at = find_inputs(op, attributes);
    const ConvolutionShape shape = read_convolution(attributes, op.input(1), op.place());
    const bool relu = has_relu(op);
    const auto range = op.calibrated();
    op.require(range.has_value(),
               "has no min_calib_range and max_calib_range: ranges that are found "
               "at run time are not supported");
    const Grid data = op.grid(0, at.ranges, at.ranges + 1);
    Filters filters{.weights = constant_floats(op, 1, "the weights"),
                    .bias = at.biased ? constant_floats(op, 2, "the bias") : std::vector<float>{},
                    .count = static_cast<std::size_t>(shape.filters)};
    if (at.biased) {
        check_bias(op.input(2), shape.filters, op.place());
    }
    if (at.normalized) {
        fold_normalization(op, at.normalization, filters);
    }
    const QuantizedFilters made = quantize_filters(op, filters, op.input(1).shape(), data.scale);
    const ElementType type = relu ? ElementType::u8 : ElementType::i8;
    const Grid result = op.grid_of_range(type, relu ? 0 : range->min, range->max);
    ModelAttributes values =
        grids({data}, at.summed ? Grid{} : result, at.summed ? ElementType::i32 : type);
    if (relu && !at.summed) {
        values.push_back({"clamp_min", result.zero_point});
    }
    for (const auto& one : shape.window.attributes()) {
        values.push_back(one);
    }
    values.push_back({"groups", shape.group});
    values.push_back({"weight_scales", made.scales});
    Outputs inputs{op.input(0), op.constant(made.weights)};
    if (!made.bias.empty()) {
        inputs.push_back(op.constant(
            Tensor::of<std::int64_t>(Shape{made.bias.size()}, made.bias).to(ElementType::i32)));
    }
    Output y = op.add("QuantizedConvolution", inputs, values);
    if (at.summed) {
        std::vector<float> scales = made.scales;
        for (float& scale : scales) {
            scale *= data.scale;
        }
        y = sum_and_round(op, y, scales, at, result, type);
    }
    return op.with_range(y, {relu ? 0 : range->min, range->max});
}

// Weights and bias are integers in the file, with their ranges.
Outputs quantized_fully_connected(Operator& op) {
    const TextAttributes attributes(inner(op, "FullyConnected").attributes, op.place());
    const bool biased = !attributes.flag("no_bias", false);
    op.require_inputs(biased ? 9 : 6);
    const std::size_t ranges = biased ? 3 : 2;
    const bool relu = has_relu(op);
    const Grid data = op.grid(0, ranges, ranges + 1);
    const Grid weights = op.grid(1, ranges + 2, ranges + 3);
    Outputs inputs{fully_connected_rows(op, attributes, op.place()), op.input(1)};
    if (biased) {
        check_bias(op.input(2), attributes.integer("num_hidden", 0), op.place());
        inputs.push_back(
            integer_bias(op, op.input(2), op.grid(2, ranges + 4, ranges + 5).scale,
                         static_cast<double>(data.scale) * static_cast<double>(weights.scale)));
    }
    const bool real = op.attributes.flag("enable_float_output", false);
    const auto range = op.calibrated();
    op.require(real || range.has_value(),
               "has no min_calib_range and max_calib_range, and no enable_float_output");
    const ElementType type = real ? ElementType::f32 : relu ? ElementType::u8 : ElementType::i8;
    const Grid result = real ? Grid{} : op.grid_of_range(type, relu ? 0 : range->min, range->max);
    ModelAttributes values = grids({data}, result, type);
    values.push_back({"weight_scales", std::vector<float>{weights.scale}});
    values.push_back({"weight_zero_points", std::vector<std::int64_t>{weights.zero_point}});
    values.push_back({"transpose_b", true});
    if (relu && !real) {
        values.push_back({"clamp_min", result.zero_point});
    }
    const Output y = op.add("QuantizedMatMul", inputs, values);
    if (real) {
        return {relu ? op.add("ReLU", {y}) : y};
    }
    return op.with_range(y, {relu ? 0 : range->min, range->max});
}

// Not quantized, a fused operator is its subgraph.
template <Translate kQuantized>
Outputs fused(Operator& op) {
    return op.attributes.flag("quantized", false)
               ? kQuantized(op)
               : op.graph().insert_subgraph(op.subgraph(), op.inputs(), op.place());
}

const OperatorRow kRows[] = {
    {"_sg_mkldnn_conv", fused<quantized_convolution>,
     "quantized: batch normalization, ReLU, sum; calibrated ranges"},
    {"_sg_mkldnn_fully_connected", fused<quantized_fully_connected>,
     "quantized: ReLU; calibrated ranges or real output"},
    {"_sg_onednn_conv", fused<quantized_convolution>, "the name in MXNet 2"},
    {"_sg_onednn_fully_connected", fused<quantized_fully_connected>, "the name in MXNet 2"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::mxnet_reader::fused_operators
