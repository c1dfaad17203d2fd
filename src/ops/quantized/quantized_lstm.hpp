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
//   QuantizedLstm(x i8 [N, T, I], h i8 [N, H], c i16 [N, H], W i8 [4, H, I], R i8 [4, H, H],
//                 bias i32 [4, H]) -> y i8 [N, T, H], last h, last c
//
// Gates in the order input, forget, cell, output. The scale of the cells is 2^cell_exponent, that of
// what the gates are made of 2^-12. y and h have one grid; hidden_* is that of the product of output
// gate and tanh(c) before it is stored.
struct QuantizedLstmAttrs final : AttributesOf<QuantizedLstmAttrs> {
    float input_scale = 1.0F;
    std::int64_t input_zero_point = 0;
    float state_scale = 1.0F;
    std::int64_t state_zero_point = 0;
    float hidden_scale = 1.0F;
    std::int64_t hidden_zero_point = 0;
    std::int64_t cell_exponent = -11;
    std::int64_t cell_clip = 0;           // in steps of the cells; 0: none
    std::vector<float> weight_scales;     // of the four gates
    std::vector<float> recurrent_scales;  // of the four gates
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
    }
};

// What the product with one operand of the gates needs beside its weights.
struct QuantizedLstmProduct {
    std::vector<std::int32_t> bias;  // [4, H]: of the operand's zero point
    std::array<rules::QuantizedMultiplier, 4> multipliers;
};

// weights: [4, H, depth]
QuantizedLstmProduct quantized_lstm_product(std::span<const std::int8_t> weights,
                                            std::size_t depth,
                                            std::int64_t zero_point,
                                            float scale,
                                            const std::vector<float>& weight_scales);

// Of the product of the output gate and tanh(c).
rules::QuantizedMultiplier quantized_lstm_to_hidden(const QuantizedLstmAttrs& attrs);

}  // namespace fuseq
