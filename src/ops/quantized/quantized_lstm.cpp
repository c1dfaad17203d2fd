// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedLstm, a step as TFLite's LstmStepInteger8x8_16:
//
//   gate = f(sat16(D2(W x + b', sx sw 2^12)) + D2(R h + r', sh sr 2^12))   b', r' with zero points
//   c    = sat16(forget * c >> 15 + input * cell >> 30 + e), clipped       half away from zero
//   h    = clamp(D2(output * tanh(c), 2^-30 / hidden scale) - hidden zero point)
//
// The hidden zero point is subtracted, as TFLite does. A peephole adds D2(p * c), the output gate's of
// the new c; a normalization (rules/layer_norm_16.hpp) comes before f, and the bias after it. Coupled:
// input = 32767 - forget. With a projection h = clamp(D2(P h + p') + zero point), clipped.
#include "ops/quantized/quantized_lstm.hpp"

#include <array>
#include <cmath>

#include "ops/op_list.hpp"
#include "ops/op_spec.hpp"
#include "ops/quantized/rules/d2.hpp"
#include "ops/quantized/rules/fixed_point_16.hpp"
#include "ops/quantized/rules/layer_norm_16.hpp"

namespace fuseq::quantized_lstm_ops {
namespace {

using rules::fixed_16::saturate;

constexpr int kGateBits = 3;  // integer bits of what a gate is made of

void require_shape(const InferContext& context, std::size_t i, const PartialShape& expected) {
    context.require(context.shape(i).compatible(expected), "input ", i, " has shape ",
                    to_string(context.shape(i)), ", expected ", to_string(expected));
}

void require_type(const InferContext& context, std::size_t i, ElementType expected) {
    context.require(context.type(i) == expected, "input ", i, " is ", to_string(context.type(i)),
                    ", expected ", to_string(expected));
}

void check_scales(const InferContext& context, const QuantizedLstmAttrs& attrs) {
    const std::size_t gates = attrs.gates();
    context.require(
        (gates == kQuantizedLstmGates || attrs.coupled()) && attrs.recurrent_scales.size() == gates,
        "weight_scales and recurrent_scales have ", gates, " and ", attrs.recurrent_scales.size(),
        " values, expected 4, or 3 of coupled gates");
    const auto check = [&](const char* name, const std::vector<float>& scales, std::size_t count) {
        context.require(scales.empty() || scales.size() == count, name, " has ", scales.size(),
                        " values, expected ", count, " or none");
    };
    check("gate_scales", attrs.gate_scales, gates);
    check("norm_scales", attrs.norm_scales, gates);
    check("peephole_scales", attrs.peephole_scales, gates - 1);
    context.require(attrs.projection_clip >= 0 && attrs.projection_clip <= 127,
                    "projection_clip is ", attrs.projection_clip, ", expected 0 to 127");
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<QuantizedLstmAttrs>();
    constexpr ElementType kTypes[] = {ElementType::i8, ElementType::i8, ElementType::i16,
                                      ElementType::i8, ElementType::i8, ElementType::i32};
    for (std::size_t i = 0; i < std::size(kTypes); ++i) {
        require_type(context, i, kTypes[i]);
    }
    check_scales(context, attrs);
    context.require(attrs.cell_exponent >= -15 && attrs.cell_exponent <= -9, "cell_exponent is ",
                    attrs.cell_exponent, ", expected -15 to -9");
    context.require(context.input_count() == attrs.input_count(), "has ", context.input_count(),
                    " inputs, expected ", attrs.input_count(), " by its scales");
    const PartialShape& x = context.shape(0);
    const PartialShape& w = context.shape(3);
    const PartialShape& state = context.shape(1);
    require_shape(context, 0, PartialShape::dynamic(3));
    require_shape(context, 1, PartialShape::dynamic(2));
    require_shape(context, 3, PartialShape::dynamic(3));
    const Dimension batch = x.rank_is_static() ? x[0] : Dimension::dynamic();
    const Dimension steps = x.rank_is_static() ? x[1] : Dimension::dynamic();
    const Dimension inputs = x.rank_is_static() ? x[2] : Dimension::dynamic();
    const Dimension hidden = w.rank_is_static() ? w[1] : Dimension::dynamic();
    const Dimension projected = state.rank_is_static() ? state[1] : Dimension::dynamic();
    const Dimension outputs = attrs.has_projection() ? projected : hidden;
    const Dimension gates(static_cast<std::int64_t>(attrs.gates()));
    require_shape(context, 1, {batch, outputs});
    require_shape(context, 2, {batch, hidden});
    require_shape(context, 3, {gates, hidden, inputs});
    require_shape(context, 4, {gates, hidden, outputs});
    require_shape(context, 5, {gates, hidden});
    if (attrs.has_peepholes()) {
        require_type(context, attrs.peepholes_input(), ElementType::i16);
        const PartialShape& peepholes = context.shape(attrs.peepholes_input());
        const bool shared = peepholes.rank_is_static() && peepholes.size() == 3 &&
                            peepholes[1].is_static() && peepholes[1] == Dimension(1);
        require_shape(context, attrs.peepholes_input(),
                      {Dimension(static_cast<std::int64_t>(attrs.gates() - 1)),
                       shared ? Dimension(1) : batch, hidden});
    }
    if (attrs.has_norms()) {
        require_type(context, attrs.norms_input(), ElementType::i16);
        require_shape(context, attrs.norms_input(), {gates, hidden});
    }
    if (attrs.has_projection()) {
        require_type(context, attrs.projection_input(), ElementType::i8);
        require_shape(context, attrs.projection_input(), {outputs, hidden});
        require_type(context, attrs.projection_input() + 1, ElementType::i32);
        require_shape(context, attrs.projection_input() + 1, {outputs});
    }
    context.set_output_count(3);
    context.set_output(0, ElementType::i8, {batch, steps, outputs});
    context.set_output(1, ElementType::i8, {batch, outputs});
    context.set_output(2, ElementType::i16, {batch, hidden});
}

struct Sizes {
    std::size_t batch;
    std::size_t steps;
    std::size_t inputs;
    std::size_t hidden;
    std::size_t outputs;
};

std::int32_t dot(const std::int8_t* w, const std::int8_t* x, std::size_t depth) {
    std::int32_t sum = 0;
    for (std::size_t k = 0; k < depth; ++k) {
        sum += static_cast<std::int32_t>(w[k]) * x[k];
    }
    return sum;
}

// Rows of one operand of the gates.
struct GateProduct {
    std::span<const std::int8_t> weights;  // [gates, hidden, depth]
    std::size_t depth = 0;
    QuantizedLstmProduct with;

    std::int32_t at(std::size_t gate, std::size_t row, const std::int8_t* x) const {
        return rules::d2(with.bias[row] + dot(weights.data() + row * depth, x, depth),
                         with.multipliers[gate]);
    }
};

// Weights and what belongs to them; spans are empty where an input is absent.
struct Operands {
    GateProduct of_x;
    GateProduct of_h;
    std::span<const std::int32_t> bias;       // [gates, hidden]
    std::span<const std::int16_t> peepholes;  // [gates - 1, peephole_rows, hidden]
    std::size_t peephole_rows = 1;
    std::vector<rules::QuantizedMultiplier> peephole_multipliers;
    std::span<const std::int16_t> norm_weights;
    std::vector<QuantizedLstmNorm> norms;
    std::span<const std::int8_t> projection;
    QuantizedLstmProjection projection_terms;
    rules::QuantizedMultiplier to_hidden;
};

class Lstm {
public:
    Lstm(const QuantizedLstmAttrs& attrs, const Sizes& sizes, Operands operands)
        : attrs_(attrs), sizes_(sizes), with_(std::move(operands)) {}

    // One step of sequence n; h and c are read and written.
    void step(std::size_t n, const std::int8_t* x, std::int8_t* h, std::int16_t* c) const {
        // From the end: output gate, cell gate, forget gate; input gate, where it is not coupled.
        const std::size_t last = attrs_.gates() - 1;
        const std::vector<std::int16_t> forget = gate(last - 2, n, x, h, c);
        const std::vector<std::int16_t> fresh = gate(last - 1, n, x, h, c);
        std::vector<std::int16_t> input = forget;
        if (attrs_.coupled()) {
            for (std::int16_t& value : input) {
                value = static_cast<std::int16_t>(rules::fixed_16::kHighest - value);
            }
        } else {
            input = gate(0, n, x, h, c);
        }
        for (std::size_t j = 0; j < sizes_.hidden; ++j) {
            c[j] = cell(forget[j] * c[j], input[j] * fresh[j]);
        }
        const std::vector<std::int16_t> output = gate(last, n, x, h, c);
        std::vector<std::int8_t> hidden(sizes_.hidden);
        for (std::size_t j = 0; j < sizes_.hidden; ++j) {
            hidden[j] = hidden_byte(output[j], c[j]);
        }
        if (attrs_.has_projection()) {
            project(hidden, h);
        } else {
            std::copy(hidden.begin(), hidden.end(), h);
        }
    }

private:
    std::vector<std::int16_t> gate(std::size_t gate,
                                   std::size_t n,
                                   const std::int8_t* x,
                                   const std::int8_t* h,
                                   const std::int16_t* c) const {
        std::vector<std::int16_t> values(sizes_.hidden);
        for (std::size_t j = 0; j < sizes_.hidden; ++j) {
            const std::size_t row = gate * sizes_.hidden + j;
            const std::int32_t of_x = saturate(with_.of_x.at(gate, row, x));
            std::int32_t sum = saturate(with_.of_h.at(gate, row, h) + of_x);
            if (attrs_.has_peepholes() && !is_cell_gate(gate)) {
                const std::size_t i = is_output_gate(gate) ? gate - 1 : gate;
                sum = saturate(sum +
                               rules::d2(peephole(i, n)[j] * c[j], with_.peephole_multipliers[i]));
            }
            values[j] = static_cast<std::int16_t>(sum);
        }
        if (attrs_.has_norms()) {
            normalize(gate, values);
        }
        for (std::int16_t& value : values) {
            value = static_cast<std::int16_t>(is_cell_gate(gate)
                                                  ? rules::fixed_16::tanh(value, kGateBits)
                                                  : rules::fixed_16::logistic(value, kGateBits));
        }
        return values;
    }

    const std::int16_t* peephole(std::size_t i, std::size_t n) const {
        const std::size_t rows = with_.peephole_rows;
        return with_.peepholes.data() + (i * rows + (rows == 1 ? 0 : n)) * sizes_.hidden;
    }

    void normalize(std::size_t gate, std::vector<std::int16_t>& values) const {
        const QuantizedLstmNorm& norm = with_.norms[gate];
        const auto moments = rules::layer_norm_16::moments(values, norm.least_variance);
        const std::size_t row = gate * sizes_.hidden;
        for (std::size_t j = 0; j < values.size(); ++j) {
            values[j] =
                rules::layer_norm_16::normalized(values[j], moments, with_.norm_weights[row + j],
                                                 with_.bias[row + j], norm.to_steps);
        }
    }

    bool is_output_gate(std::size_t gate) const { return gate + 1 == attrs_.gates(); }
    bool is_cell_gate(std::size_t gate) const { return gate + 2 == attrs_.gates(); }

    std::int16_t cell(std::int32_t kept, std::int32_t added) const {
        const auto exponent = static_cast<int>(attrs_.cell_exponent);
        std::int32_t sum = saturate(rules::rounding_divide_by_pot(kept, 15) +
                                    rules::rounding_divide_by_pot(added, 30 + exponent));
        if (attrs_.cell_clip > 0) {
            const auto clip = static_cast<std::int32_t>(attrs_.cell_clip);
            sum = std::clamp(sum, -clip, clip);
        }
        return static_cast<std::int16_t>(sum);
    }

    std::int8_t hidden_byte(std::int16_t output, std::int16_t c) const {
        const auto exponent = static_cast<int>(attrs_.cell_exponent);
        const std::int32_t product = output * rules::fixed_16::tanh(c, 15 + exponent);
        const std::int64_t h = rules::d2(product, with_.to_hidden) - attrs_.hidden_zero_point;
        return static_cast<std::int8_t>(std::clamp<std::int64_t>(h, -128, 127));
    }

    void project(const std::vector<std::int8_t>& hidden, std::int8_t* h) const {
        for (std::size_t p = 0; p < sizes_.outputs; ++p) {
            const std::int8_t* const row = with_.projection.data() + p * sizes_.hidden;
            const std::int32_t sum =
                with_.projection_terms.bias[p] + dot(row, hidden.data(), sizes_.hidden);
            const std::int64_t steps = rules::d2(sum, with_.projection_terms.multiplier);
            std::int64_t byte =
                std::clamp<std::int64_t>(steps + attrs_.state_zero_point, -128, 127);
            if (attrs_.projection_clip > 0) {
                byte = std::clamp(byte, -attrs_.projection_clip, attrs_.projection_clip);
            }
            h[p] = static_cast<std::int8_t>(byte);
        }
    }

    const QuantizedLstmAttrs& attrs_;
    Sizes sizes_;
    Operands with_;
};

Operands read_operands(EvalContext& context, const QuantizedLstmAttrs& attrs, const Sizes& sizes) {
    Operands all;
    const std::size_t rows = attrs.gates() * sizes.hidden;
    const auto w = context.input(3).values<std::int8_t>();
    const auto r = context.input(4).values<std::int8_t>();
    all.of_x = {w, sizes.inputs,
                quantized_lstm_product(w, rows, attrs.input_zero_point, attrs.input_scale,
                                       attrs.weight_scales, attrs.gate_scales)};
    all.of_h = {r, sizes.outputs,
                quantized_lstm_product(r, rows, attrs.state_zero_point, attrs.state_scale,
                                       attrs.recurrent_scales, attrs.gate_scales)};
    all.bias = context.input(5).values<std::int32_t>();
    for (std::size_t i = 0; i < rows && !attrs.has_norms(); ++i) {
        all.of_x.with.bias[i] += all.bias[i];
    }
    if (attrs.has_peepholes()) {
        all.peepholes = context.input(attrs.peepholes_input()).values<std::int16_t>();
        all.peephole_rows = context.input(attrs.peepholes_input()).get_shape()[1];
        all.peephole_multipliers = quantized_lstm_peepholes(attrs);
    }
    if (attrs.has_norms()) {
        all.norm_weights = context.input(attrs.norms_input()).values<std::int16_t>();
        all.norms = quantized_lstm_norms(attrs);
    }
    if (attrs.has_projection()) {
        all.projection = context.input(attrs.projection_input()).values<std::int8_t>();
        const auto bias = context.input(attrs.projection_input() + 1).values<std::int32_t>();
        all.projection_terms = quantized_lstm_projection(attrs, all.projection, bias);
    }
    all.to_hidden = quantized_lstm_to_hidden(attrs);
    return all;
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedLstmAttrs>();
    const Shape& x_shape = context.input(0).get_shape();
    const Shape& state = context.input(1).get_shape();
    const Shape& cells = context.input(2).get_shape();
    const Sizes sizes{x_shape[0], x_shape[1], x_shape[2], cells[1], state[1]};
    const Lstm lstm(attrs, sizes, read_operands(context, attrs, sizes));
    auto* y = context.output(0, Shape{sizes.batch, sizes.steps, sizes.outputs}).data<std::int8_t>();
    auto* h = context.output(1, state).data<std::int8_t>();
    auto* c = context.output(2, cells).data<std::int16_t>();
    std::copy_n(context.input(1).data<std::int8_t>(), shape_size(state), h);
    std::copy_n(context.input(2).data<std::int16_t>(), shape_size(cells), c);
    const auto* x = context.input(0).data<std::int8_t>();
    for (std::size_t n = 0; n < sizes.batch; ++n) {
        for (std::size_t t = 0; t < sizes.steps; ++t) {
            lstm.step(n, x + (n * sizes.steps + t) * sizes.inputs, h + n * sizes.outputs,
                      c + n * sizes.hidden);
            std::copy_n(h + n * sizes.outputs, sizes.outputs,
                        y + (n * sizes.steps + t) * sizes.outputs);
        }
    }
}

const OpSpec kOps[] = {
    {.type = "QuantizedLstm",
     .version = 1,
     .inputs = {6, 10},
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
