// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What is computed once of a QuantizedLstm: multipliers, and biases with zero points in them.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "ops/quantized/quantized_lstm.hpp"

namespace fuseq {
namespace {

constexpr float kGateScale = 0x1p-12F;

float scale_of_gate(const std::vector<float>& gate_scales, std::size_t gate) {
    return gate_scales.empty() ? kGateScale : gate_scales[gate];
}

// zero_point times the sums of the rows.
std::vector<std::int32_t> zero_point_bias(std::span<const std::int8_t> weights,
                                          std::size_t rows,
                                          std::int64_t zero_point) {
    std::vector<std::int32_t> bias;
    const std::size_t depth = rows == 0 ? 0 : weights.size() / rows;
    for (std::size_t row = 0; row < rows; ++row) {
        const auto values = weights.subspan(row * depth, depth);
        const std::int32_t sum = std::accumulate(values.begin(), values.end(), 0);
        bias.push_back(static_cast<std::int32_t>(zero_point) * sum);
    }
    return bias;
}

}  // namespace

QuantizedLstmProduct quantized_lstm_product(std::span<const std::int8_t> weights,
                                            std::size_t rows,
                                            std::int64_t zero_point,
                                            float scale,
                                            const std::vector<float>& weight_scales,
                                            const std::vector<float>& gate_scales) {
    QuantizedLstmProduct product;
    product.bias = zero_point_bias(weights, rows, -zero_point);
    for (std::size_t gate = 0; gate < weight_scales.size(); ++gate) {
        const float product_scale = weight_scales[gate] * scale;
        const float real = product_scale / scale_of_gate(gate_scales, gate);
        product.multipliers[gate] = rules::quantize_multiplier(real);
    }
    return product;
}

rules::QuantizedMultiplier quantized_lstm_to_hidden(const QuantizedLstmAttrs& attrs) {
    const float product_scale = 0x1p-15F / attrs.hidden_scale * 0x1p-15F;
    return rules::quantize_multiplier(product_scale);
}

std::vector<rules::QuantizedMultiplier> quantized_lstm_peepholes(const QuantizedLstmAttrs& attrs) {
    std::vector<rules::QuantizedMultiplier> multipliers;
    const std::size_t count = attrs.peephole_scales.size();
    for (std::size_t i = 0; i < count; ++i) {
        // The last is the output gate's, which stands after the cell gate.
        const std::size_t gate = i + 1 == count ? attrs.gates() - 1 : i;
        const float cells =
            std::ldexp(attrs.peephole_scales[i], static_cast<int>(attrs.cell_exponent));
        const float real = cells / scale_of_gate(attrs.gate_scales, gate);
        multipliers.push_back(rules::quantize_multiplier(real));
    }
    return multipliers;
}

std::vector<QuantizedLstmNorm> quantized_lstm_norms(const QuantizedLstmAttrs& attrs) {
    std::vector<QuantizedLstmNorm> norms;
    constexpr int kGateBits = 12;
    constexpr float kMaxVariance = 0x1p30F;
    for (const float scale : attrs.norm_scales) {
        QuantizedLstmNorm norm;
        norm.to_steps = rules::quantize_multiplier(scale);
        norm.to_steps.exponent += kGateBits;
        norm.least_variance =
            static_cast<std::int32_t>(std::clamp(10000.0F * scale, 1.0F, kMaxVariance));
        norms.push_back(norm);
    }
    return norms;
}

QuantizedLstmProjection quantized_lstm_projection(const QuantizedLstmAttrs& attrs,
                                                  std::span<const std::int8_t> weights,
                                                  std::span<const std::int32_t> bias) {
    QuantizedLstmProjection projection;
    projection.bias = zero_point_bias(weights, bias.size(), attrs.hidden_zero_point);
    std::transform(bias.begin(), bias.end(), projection.bias.begin(), projection.bias.begin(),
                   std::plus<>());
    const float product_scale = attrs.projection_scale * attrs.hidden_scale;
    const float real = product_scale / attrs.state_scale;
    projection.multiplier = rules::quantize_multiplier(real);
    return projection;
}

}  // namespace fuseq
