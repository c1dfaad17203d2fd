// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedLstm, a step as TFLite's LstmStepInteger8x8_16:
//
//   gate = f(sat16(D2(W x + b', sx sw 2^12)) + D2(R h + r', sh sr 2^12))   b', r' with zero points
//   c    = sat16(forget * c >> 15 + input * cell >> 30 + e), clipped       half away from zero
//   h    = clamp(D2(output * tanh(c), 2^-30 / hidden scale) - hidden zero point)
//
// The hidden zero point is subtracted, as TFLite does.
#include "ops/quantized/quantized_lstm.hpp"

#include <array>
#include <cmath>

#include "ops/op_list.hpp"
#include "ops/op_spec.hpp"
#include "ops/quantized/rules/d2.hpp"
#include "ops/quantized/rules/fixed_point_16.hpp"

namespace fuseq::quantized_lstm_ops {
namespace {

using rules::fixed_16::saturate;

constexpr std::size_t kGates = 4;
enum Gate : std::size_t { kInput, kForget, kCell, kOutput };
constexpr int kGateBits = 3;  // integer bits of what a gate is made of

void require_shape(const InferContext& context, std::size_t i, const PartialShape& expected) {
    context.require(context.shape(i).compatible(expected), "input ", i, " has shape ",
                    to_string(context.shape(i)), ", expected ", to_string(expected));
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<QuantizedLstmAttrs>();
    constexpr ElementType kTypes[] = {ElementType::i8, ElementType::i8, ElementType::i16,
                                      ElementType::i8, ElementType::i8, ElementType::i32};
    for (std::size_t i = 0; i < std::size(kTypes); ++i) {
        context.require(context.type(i) == kTypes[i], "input ", i, " is ",
                        to_string(context.type(i)), ", expected ", to_string(kTypes[i]));
    }
    context.require(attrs.weight_scales.size() == kGates && attrs.recurrent_scales.size() == kGates,
                    "weight_scales and recurrent_scales have ", attrs.weight_scales.size(), " and ",
                    attrs.recurrent_scales.size(), " values, expected 4");
    context.require(attrs.cell_exponent >= -15 && attrs.cell_exponent <= -9, "cell_exponent is ",
                    attrs.cell_exponent, ", expected -15 to -9");
    const PartialShape& x = context.shape(0);
    const PartialShape& w = context.shape(3);
    require_shape(context, 0, PartialShape::dynamic(3));
    require_shape(context, 3, PartialShape::dynamic(3));
    const Dimension batch = x.rank_is_static() ? x[0] : Dimension::dynamic();
    const Dimension steps = x.rank_is_static() ? x[1] : Dimension::dynamic();
    const Dimension inputs = x.rank_is_static() ? x[2] : Dimension::dynamic();
    const Dimension hidden = w.rank_is_static() ? w[1] : Dimension::dynamic();
    const Dimension gates(static_cast<std::int64_t>(kGates));
    require_shape(context, 1, {batch, hidden});
    require_shape(context, 2, {batch, hidden});
    require_shape(context, 3, {gates, hidden, inputs});
    require_shape(context, 4, {gates, hidden, hidden});
    require_shape(context, 5, {gates, hidden});
    context.set_output_count(3);
    context.set_output(0, ElementType::i8, {batch, steps, hidden});
    context.set_output(1, ElementType::i8, {batch, hidden});
    context.set_output(2, ElementType::i16, {batch, hidden});
}

struct Sizes {
    std::size_t batch;
    std::size_t steps;
    std::size_t inputs;
    std::size_t hidden;
};

// Rows of one operand of the gates.
struct GateProduct {
    std::span<const std::int8_t> weights;  // [4, hidden, depth]
    std::size_t depth;
    QuantizedLstmProduct with;

    std::int32_t at(Gate gate, std::size_t row, std::size_t hidden, const std::int8_t* x) const {
        const std::int8_t* w = weights.data() + (gate * hidden + row) * depth;
        std::int32_t sum = with.bias[gate * hidden + row];
        for (std::size_t k = 0; k < depth; ++k) {
            sum += static_cast<std::int32_t>(w[k]) * x[k];
        }
        return rules::d2(sum, with.multipliers[gate]);
    }
};

class Lstm {
public:
    Lstm(const QuantizedLstmAttrs& attrs, const Sizes& sizes, GateProduct of_x, GateProduct of_h)
        : attrs_(attrs), sizes_(sizes), of_x_(std::move(of_x)), of_h_(std::move(of_h)) {
        to_hidden_ = quantized_lstm_to_hidden(attrs);
    }

    // One step of one sequence; h and c are read and written.
    void step(const std::int8_t* x, std::int8_t* h, std::int16_t* c) const {
        std::vector<std::int8_t> next(sizes_.hidden);
        for (std::size_t j = 0; j < sizes_.hidden; ++j) {
            std::array<std::int32_t, kGates> gates{};
            for (const Gate gate : {kInput, kForget, kCell, kOutput}) {
                gates[gate] = gate_at(gate, j, x, h);
            }
            next[j] = cell(gates, c[j]);
        }
        std::copy(next.begin(), next.end(), h);
    }

private:
    std::int32_t gate_at(Gate gate,
                         std::size_t j,
                         const std::int8_t* x,
                         const std::int8_t* h) const {
        const std::int32_t of_x = saturate(of_x_.at(gate, j, sizes_.hidden, x));
        const std::int32_t sum = saturate(of_h_.at(gate, j, sizes_.hidden, h) + of_x);
        return gate == kCell ? rules::fixed_16::tanh(sum, kGateBits)
                             : rules::fixed_16::logistic(sum, kGateBits);
    }

    std::int8_t cell(const std::array<std::int32_t, kGates>& gates, std::int16_t& c) const {
        const auto exponent = static_cast<int>(attrs_.cell_exponent);
        const std::int32_t kept = rules::rounding_divide_by_pot(gates[kForget] * c, 15);
        const std::int32_t added =
            rules::rounding_divide_by_pot(gates[kInput] * gates[kCell], 30 + exponent);
        std::int32_t sum = saturate(kept + added);
        if (attrs_.cell_clip > 0) {
            const auto clip = static_cast<std::int32_t>(attrs_.cell_clip);
            sum = std::clamp(sum, -clip, clip);
        }
        c = static_cast<std::int16_t>(sum);
        const std::int32_t product = gates[kOutput] * rules::fixed_16::tanh(sum, 15 + exponent);
        const std::int64_t h = rules::d2(product, to_hidden_) - attrs_.hidden_zero_point;
        return static_cast<std::int8_t>(std::clamp<std::int64_t>(h, -128, 127));
    }

    const QuantizedLstmAttrs& attrs_;
    Sizes sizes_;
    GateProduct of_x_;
    GateProduct of_h_;
    rules::QuantizedMultiplier to_hidden_;
};

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedLstmAttrs>();
    const Shape& shape = context.input(0).get_shape();
    const Shape& weights = context.input(3).get_shape();
    const Sizes sizes{shape[0], shape[1], shape[2], weights[1]};
    const auto w = context.input(3).values<std::int8_t>();
    const auto r = context.input(4).values<std::int8_t>();
    GateProduct of_x{w, sizes.inputs,
                     quantized_lstm_product(w, sizes.inputs, attrs.input_zero_point,
                                            attrs.input_scale, attrs.weight_scales)};
    const std::span<const std::int32_t> bias = context.input(5).values<std::int32_t>();
    for (std::size_t i = 0; i < bias.size(); ++i) {
        of_x.with.bias[i] += bias[i];
    }
    const Lstm lstm(attrs, sizes, std::move(of_x),
                    {r, sizes.hidden,
                     quantized_lstm_product(r, sizes.hidden, attrs.state_zero_point,
                                            attrs.state_scale, attrs.recurrent_scales)});
    const Shape state{sizes.batch, sizes.hidden};
    auto* y = context.output(0, Shape{sizes.batch, sizes.steps, sizes.hidden}).data<std::int8_t>();
    auto* h = context.output(1, state).data<std::int8_t>();
    auto* c = context.output(2, state).data<std::int16_t>();
    std::copy_n(context.input(1).data<std::int8_t>(), shape_size(state), h);
    std::copy_n(context.input(2).data<std::int16_t>(), shape_size(state), c);
    const auto* x = context.input(0).data<std::int8_t>();
    for (std::size_t n = 0; n < sizes.batch; ++n) {
        for (std::size_t t = 0; t < sizes.steps; ++t) {
            lstm.step(x + (n * sizes.steps + t) * sizes.inputs, h + n * sizes.hidden,
                      c + n * sizes.hidden);
            std::copy_n(h + n * sizes.hidden, sizes.hidden,
                        y + (n * sizes.steps + t) * sizes.hidden);
        }
    }
}

const OpSpec kOps[] = {
    {.type = "QuantizedLstm",
     .version = 1,
     .inputs = {6, 6},
     .make_attributes = make_attributes<QuantizedLstmAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "LSTM of integers, as TFLite computes it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_lstm_ops

namespace fuseq {

QuantizedLstmProduct quantized_lstm_product(std::span<const std::int8_t> weights,
                                            std::size_t depth,
                                            std::int64_t zero_point,
                                            float scale,
                                            const std::vector<float>& weight_scales) {
    QuantizedLstmProduct product;
    for (std::size_t row = 0; row * depth < weights.size(); ++row) {
        std::int32_t sum = 0;
        for (std::size_t k = 0; k < depth; ++k) {
            sum += weights[row * depth + k];
        }
        product.bias.push_back(static_cast<std::int32_t>(-zero_point) * sum);
    }
    for (std::size_t gate = 0; gate < quantized_lstm_ops::kGates; ++gate) {
        const float product_scale = weight_scales[gate] * scale;
        product.multipliers[gate] = rules::quantize_multiplier(product_scale / 0x1p-12F);
    }
    return product;
}

rules::QuantizedMultiplier quantized_lstm_to_hidden(const QuantizedLstmAttrs& attrs) {
    const float product_scale = 0x1p-15F / attrs.hidden_scale * 0x1p-15F;
    return rules::quantize_multiplier(product_scale);
}

}  // namespace fuseq
