// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fuseq/attributes.hpp"
#include "ops/quantized/rules/fixed_point.hpp"

namespace fuseq {

// TFLite's LSTM of integers: bytes, gates of 16 bits, cells of i16.
//
//   QuantizedLstm(x i8 [N, T, I], h i8 [N, P], c i16 [N, H], W i8 [G, H, I], R i8 [G, H, P],
//                 bias i32 [G, H],
//                 peepholes i16 [G - 1, N, H],                  with peephole_scales; N or 1
//                 norms i16 [G, H],                             with norm_scales
//                 projection i8 [P, H], its bias i32 [P])       with projection_scale
//     -> y i8 [N, T, P], last h, last c
//
// Gates in the order input, forget, cell, output; peepholes have no cell gate. Three weight_scales:
// input and forget gate are coupled, G is 3 and the input gate is left out everywhere. Without a
// projection P is H. The scale of the cells is 2^cell_exponent, that of what the functions of the
// gates take 2^-12; gate_scales are those of the values before a normalization. y and h have one
// grid; hidden_* is that of the product of output gate and tanh(c).
struct QuantizedLstmAttrs final : AttributesOf<QuantizedLstmAttrs> {
    float input_scale = 1.0F;
    std::int64_t input_zero_point = 0;
    float state_scale = 1.0F;
    std::int64_t state_zero_point = 0;
    float hidden_scale = 1.0F;
    std::int64_t hidden_zero_point = 0;
    std::int64_t cell_exponent = -11;
    std::int64_t cell_clip = 0;           // in steps of the cells; 0: none
    std::vector<float> weight_scales;     // of the gates
    std::vector<float> recurrent_scales;  // of the gates
    std::vector<float> gate_scales;       // of the gates, with norm_scales
    std::vector<float> peephole_scales;   // of the gates but the cell gate, or none
    std::vector<float> norm_scales;       // of the gates, or none
    float projection_scale = 0.0F;        // 0: none
    std::int64_t projection_clip = 0;     // in steps of the output; 0: none
    void visit(AttributeVisitor& v) override {
        v.required("input_scale", input_scale);
        v.optional("input_zero_point", input_zero_point);
        v.required("state_scale", state_scale);
        v.optional("state_zero_point", state_zero_point);
        v.required("hidden_scale", hidden_scale);
        v.optional("hidden_zero_point", hidden_zero_point);
        v.required("cell_exponent", cell_exponent);
        v.optional("cell_clip", cell_clip);
        v.required("weight_scales", weight_scales);
        v.required("recurrent_scales", recurrent_scales);
        v.optional("gate_scales", gate_scales);
        v.optional("peephole_scales", peephole_scales);
        v.optional("norm_scales", norm_scales);
        v.optional("projection_scale", projection_scale);
        v.optional("projection_clip", projection_clip);
    }

    std::size_t gates() const { return weight_scales.size(); }
    bool coupled() const { return gates() == 3; }
    bool has_peepholes() const { return !peephole_scales.empty(); }
    bool has_norms() const { return !norm_scales.empty(); }
    bool has_projection() const { return projection_scale != 0; }
    // Of the inputs that may be absent.
    std::size_t peepholes_input() const { return 6; }
    std::size_t norms_input() const { return peepholes_input() + (has_peepholes() ? 1 : 0); }
    std::size_t projection_input() const { return norms_input() + (has_norms() ? 1 : 0); }
    std::size_t input_count() const { return projection_input() + (has_projection() ? 2 : 0); }
};

inline constexpr std::size_t kQuantizedLstmGates = 4;

// What the product with one operand of the gates needs beside its weights. Coupled gates
// have three multipliers, from that of the forget gate on.
struct QuantizedLstmProduct {
    std::vector<std::int32_t> bias;  // [G, H]: of the operand's zero point
    std::array<rules::QuantizedMultiplier, kQuantizedLstmGates> multipliers;
};

// weights: [G, H, depth]; rows: G * H.
QuantizedLstmProduct quantized_lstm_product(std::span<const std::int8_t> weights,
                                            std::size_t rows,
                                            std::int64_t zero_point,
                                            float scale,
                                            const std::vector<float>& weight_scales,
                                            const std::vector<float>& gate_scales = {});

// Of the product of the output gate and tanh(c).
rules::QuantizedMultiplier quantized_lstm_to_hidden(const QuantizedLstmAttrs& attrs);

// Of the products of cells and peepholes, in the order of peephole_scales.
std::vector<rules::QuantizedMultiplier> quantized_lstm_peepholes(const QuantizedLstmAttrs& attrs);

// What the normalization of a gate needs beside its weights.
struct QuantizedLstmNorm {
    rules::QuantizedMultiplier to_steps;
    std::int32_t least_variance = 1;
};
std::vector<QuantizedLstmNorm> quantized_lstm_norms(const QuantizedLstmAttrs& attrs);

// The projection: a product of the hidden bytes with its multiplier, and a bias with their zero point.
struct QuantizedLstmProjection {
    std::vector<std::int32_t> bias;  // [P]
    rules::QuantizedMultiplier multiplier;
};
QuantizedLstmProjection quantized_lstm_projection(const QuantizedLstmAttrs& attrs,
                                                  std::span<const std::int8_t> weights,
                                                  std::span<const std::int32_t> bias);

}  // namespace fuseq
