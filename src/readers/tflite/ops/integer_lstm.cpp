// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/tflite/ops/integer_lstm.hpp"

#include <algorithm>
#include <cmath>

namespace fuseq::tflite_reader {
namespace {

constexpr std::size_t kGates = 4;  // input, forget, cell, output
constexpr std::size_t kWeights = 1;
constexpr std::size_t kRecurrent = 5;
constexpr std::size_t kBiases = 12;
constexpr std::size_t kOutputState = 18;
constexpr std::size_t kCell = 19;
constexpr std::size_t kHidden = 4;  // of the intermediates

float known_scale(const Operator& op, const TensorInfo& info) {
    op.require(info.quantization.known() && !info.quantization.per_channel(), info.title(),
               " has no scale, or several");
    return info.quantization.scale();
}

// The inputs of the four gates as one tensor [4, ...].
Output gates(Operator& op, std::size_t first) {
    std::vector<Output> parts;
    for (std::size_t gate = 0; gate < kGates; ++gate) {
        parts.push_back(op.unsqueeze(op.input(first + gate), {0}));
    }
    return op.add("Concat", parts, {{"axis", std::int64_t{0}}});
}

std::vector<float> scales(const Operator& op, std::size_t first) {
    std::vector<float> list;
    for (std::size_t gate = 0; gate < kGates; ++gate) {
        const TensorInfo& info = op.tensor(first + gate);
        op.require(info.type == ElementType::i8, info.title(), " is ", to_string(info.type),
                   ", expected i8 as the input");
        list.push_back(known_scale(op, info));
        op.require(info.quantization.zero_point() == 0, info.title(), " has zero point ",
                   info.quantization.zero_point(), ", expected 0");
    }
    return list;
}

std::int64_t cell_exponent(const Operator& op, float scale) {
    int exponent = 0;
    const float fraction = std::frexp(scale, &exponent);
    op.require(fraction == 0.5F, "the scale of the cells is ", scale, ", expected a power of two");
    return exponent - 1;
}

ModelAttributes attributes(const Operator& op, float clip) {
    const TensorInfo& x = op.tensor(0);
    const TensorInfo& state = op.tensor(kOutputState);
    const TensorInfo& hidden = op.intermediate(kHidden);
    const float cells = known_scale(op, op.tensor(kCell));
    const float input_scale = known_scale(op, x);
    const float state_scale = known_scale(op, state);
    op.require(state.quantization == op.output_tensor().quantization,
               "the output and its state have different scales or zero points");
    const float steps = clip / cells;
    return {{"input_scale", input_scale},
            {"input_zero_point", x.quantization.zero_point()},
            {"state_scale", state_scale},
            {"state_zero_point", state.quantization.zero_point()},
            {"hidden_scale", known_scale(op, hidden)},
            {"hidden_zero_point", hidden.quantization.zero_point()},
            {"cell_exponent", cell_exponent(op, cells)},
            {"cell_clip", static_cast<std::int64_t>(std::clamp(steps, 0.0F, 32767.0F))},
            {"weight_scales", scales(op, kWeights)},
            {"recurrent_scales", scales(op, kRecurrent)}};
}

void refuse_variants(const Operator& op) {
    constexpr std::size_t kVariants[] = {9, 10, 11, 16, 17, 20, 21, 22, 23};
    op.require(op.has_input(kWeights),
               "coupled input and forget gates of integers are not supported");
    for (const std::size_t i : kVariants) {
        op.require(!op.has_input(i), "input ", i,
                   " is given: peepholes, projection and layer normalization of integers are not "
                   "supported");
    }
}

}  // namespace

Values integer_lstm(Operator& op) {
    const auto& options = op.options<::tflite::UnidirectionalSequenceLSTMOptions>();
    refuse_variants(op);
    op.require(options.proj_clip() == 0, "proj_clip of integers is not supported");
    op.require(options.fused_activation_function() == ::tflite::ActivationFunctionType::TANH,
               "fused activation ", static_cast<int>(options.fused_activation_function()),
               " of integers is not supported");
    const float clip = options.cell_clip();
    op.require(std::isfinite(clip) && clip >= 0, "cell_clip is ", clip);
    const bool time_major = options.time_major();
    const Output x = time_major ? op.transpose(op.input(0), {1, 0, 2}) : op.input(0);
    fuseq::Node* node = op.node("QuantizedLstm",
                                {x, op.input(kOutputState), op.input(kCell), gates(op, kWeights),
                                 gates(op, kRecurrent), gates(op, kBiases)},
                                attributes(op, clip));
    op.assign(kOutputState, node->output(1));
    op.assign(kCell, node->output(2));
    const Output y = node->output(0);
    return plain(time_major ? op.transpose(y, {1, 0, 2}) : y);
}

}  // namespace fuseq::tflite_reader
