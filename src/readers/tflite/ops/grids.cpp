// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/tflite/ops/grids.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace fuseq::tflite_reader {
namespace {

using ::tflite::ActivationFunctionType;

const Quantization& one_scale(const Operator& op, const TensorInfo& info) {
    op.require(info.quantized() && !info.quantization.per_channel(), info.title(), " is ",
               to_string(info.type), " with ", info.quantization.scales.size(),
               " scales, expected an integer tensor with one");
    return info.quantization;
}

// The integer of a real value, half away from zero, as far as 32 bits go.
std::int64_t integer_of(float value, const Quantization& grid) {
    constexpr float kBound = 1.0e9F;
    const float steps = std::clamp(std::round(value / grid.scale()), -kBound, kBound);
    return grid.zero_point() + static_cast<std::int64_t>(steps);
}

void add_clamp(const Operator& op,
               const Quantization& grid,
               ActivationFunctionType function,
               ModelAttributes& attributes) {
    const auto lower = [&](float value) {
        attributes.push_back({"clamp_min", integer_of(value, grid)});
    };
    const auto upper = [&](float value) {
        attributes.push_back({"clamp_max", integer_of(value, grid)});
    };
    switch (function) {
        case ActivationFunctionType::NONE: return;
        case ActivationFunctionType::RELU: lower(0.0F); return;
        case ActivationFunctionType::RELU_N1_TO_1:
            lower(-1.0F);
            upper(1.0F);
            return;
        case ActivationFunctionType::RELU6:
            lower(0.0F);
            upper(6.0F);
            return;
        default: break;
    }
    op.fail("fused activation ", static_cast<int>(function),
            " of quantized tensors is not supported");
}

}  // namespace

bool is_quantized(const Operator& op, std::size_t input) {
    const TensorInfo& source = op.tensor(input);
    const TensorInfo& result = op.output_tensor();
    op.require(source.quantized() == result.quantized() || !is_integral(source.type), "input ",
               input, ", ", source.title(), ", is ",
               source.quantized() ? "quantized" : "not quantized", ", the output, ", result.title(),
               ", is ", result.quantized() ? "quantized" : "not");
    return source.quantized();
}

ModelAttributes grids(const Operator& op,
                      const std::vector<std::size_t>& inputs,
                      ActivationFunctionType function) {
    std::vector<float> scales;
    std::vector<std::int64_t> zeros;
    for (const std::size_t i : inputs) {
        const Quantization& grid = one_scale(op, op.tensor(i));
        scales.push_back(grid.scale());
        zeros.push_back(grid.zero_point());
    }
    const Quantization& result = one_scale(op, op.output_tensor());
    ModelAttributes attributes{{"method", kMethod},
                               {"input_scales", scales},
                               {"input_zero_points", zeros},
                               {"output_scale", result.scale()},
                               {"output_zero_point", result.zero_point()},
                               {"output_type", op.output_tensor().type}};
    add_clamp(op, result, function, attributes);
    return attributes;
}

void add_weight_grids(const Operator& op,
                      std::size_t input,
                      std::size_t channel_axis,
                      ModelAttributes& attributes) {
    const TensorInfo& weights = op.tensor(input);
    op.require(weights.quantized(), "input ", input, ", ", weights.title(), ", is ",
               to_string(weights.type), " without a scale, expected quantized weights");
    op.require(!weights.quantization.per_channel() || weights.quantization.axis == channel_axis,
               "input ", input, ", ", weights.title(), ", has scales along dimension ",
               weights.quantization.axis, ", expected the output channels, dimension ",
               channel_axis);
    attributes.push_back({"weight_scales", weights.quantization.scales});
    attributes.push_back({"weight_zero_points", weights.quantization.zero_points});
}

void check_bias(const Operator& op, std::size_t input, std::size_t weights, std::size_t bias) {
    if (!op.has_input(bias)) {
        return;
    }
    const TensorInfo& info = op.tensor(bias);
    op.require(info.type == ElementType::i32 || info.type == ElementType::i64, "the bias, ",
               info.title(), ", is ", to_string(info.type), ", expected i32 or i64");
    if (!info.quantization.known()) {
        return;
    }
    constexpr double kAllowed = 0.02;
    const Quantization& factor = op.tensor(weights).quantization;
    const auto& own = info.quantization.scales;
    const auto at = [](const std::vector<float>& values, std::size_t i) {
        return values[values.size() == 1 ? 0 : std::min(i, values.size() - 1)];
    };
    const float result = op.output_tensor().quantization.scale();
    for (std::size_t c = 0; c < std::max(own.size(), factor.scales.size()); ++c) {
        const auto product =
            static_cast<double>(op.tensor(input).quantization.scale() * at(factor.scales, c));
        const double off = std::abs(product - static_cast<double>(at(own, c))) / result;
        op.require(off <= kAllowed, "the bias, ", info.title(), ", has the scale ", at(own, c),
                   " in channel ", c, ", input times weights have ", product,
                   "; the difference is ", off, " of the output's scale, ", kAllowed,
                   " are allowed");
        op.require(at(factor.scales, c) > 0 &&
                       info.quantization.zero_points[std::min(c, own.size() - 1)] == 0,
                   "the bias, ", info.title(), ", has a zero point other than 0");
    }
}

bool same_grid(const TensorInfo& a, const TensorInfo& b) {
    return a.type == b.type && a.quantization.scales == b.quantization.scales &&
           a.quantization.zero_points == b.quantization.zero_points;
}

Output dequantize(Operator& op, std::size_t input, const Output& value) {
    const Quantization& grid = one_scale(op, op.tensor(input));
    return op.add("Dequantize", {value},
                  {{"scales", grid.scales}, {"zero_points", grid.zero_points}});
}

Output quantize(Operator& op, const Output& value, std::size_t output) {
    const TensorInfo& result = op.output_tensor(output);
    const Quantization& grid = one_scale(op, result);
    return op.add("Quantize", {value},
                  {{"method", kMethod},
                   {"scales", grid.scales},
                   {"zero_points", grid.zero_points},
                   {"output_type", result.type}});
}

Values through_reals(Operator& op, const Aligned& operands, const RealOperation& operation) {
    std::vector<Output> reals;
    for (std::size_t i = 0; i < operands.values.size(); ++i) {
        const bool quantized = op.tensor(i).quantized();
        reals.push_back(quantized ? dequantize(op, i, operands.values[i]) : operands.values[i]);
    }
    op.graph().warn(fmt::format("'{}' ({}): runs in f32 between a Dequantize and a Quantize",
                                op.place().layer, op.type()));
    return operands.result(quantize(op, operation(reals)));
}

Values through_table(Operator& op, const std::function<std::int64_t(std::int64_t)>& function) {
    constexpr std::int64_t kValues = 256;
    const Aligned x = op.either(0);
    const ElementType type = op.tensor(0).type;
    const std::int64_t lowest = type == ElementType::i8 ? -kValues / 2 : 0;
    op.require(type == ElementType::i8 || type == ElementType::u8, "input 0 is ", to_string(type),
               ", expected i8 or u8");
    std::vector<std::int64_t> table;
    for (std::int64_t i = 0; i < kValues; ++i) {
        table.push_back(function(lowest + i));
    }
    const Output values = op.constant(
        Tensor::of<std::int64_t>(Shape{table.size()}, table).to(op.output_tensor().type));
    const Output wide = op.convert(x.values[0], ElementType::i32);
    const Output index =
        lowest == 0 ? wide
                    : op.add("Subtract", {wide, op.scalar(static_cast<double>(lowest), wide)});
    return x.result(op.add("Gather", {values, index, op.int_scalar(0)}));
}

}  // namespace fuseq::tflite_reader
