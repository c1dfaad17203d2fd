// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// LSTM of sequences and of one step. States are variables: they last from one inference to the
// next.
#include <cmath>
#include <utility>

#include "readers/common/lstm_loop.hpp"
#include "readers/tflite/operator_table.hpp"
#include "readers/tflite/ops/integer_lstm.hpp"
#include "readers/tflite/ops/sequence.hpp"

namespace fuseq::tflite_reader::lstm_operators {
namespace {

using readers::kLstmGates;
using readers::LstmGate;
using ::tflite::ActivationFunctionType;

// Where the inputs of one direction stand. Weights of the input, of the last output, and biases are
// four each: input, forget, cell, output gate. Peepholes are three, without the cell gate.
struct Places {
    std::size_t weights = 1;
    std::size_t recurrent = 5;
    std::size_t peepholes = 9;
    std::size_t bias = 12;
    std::size_t projection = 16;
    std::size_t projection_bias = 17;
    std::size_t h = 18;
    std::size_t c = 19;
    std::size_t norms = 20;     // four; 0: the operator has none
    std::size_t auxiliary = 0;  // four weights of a second input; 0: the operator has none
};
constexpr std::size_t kAuxiliaryInput = 39;
constexpr Places kOneDirection{};
constexpr Places kForward{.h = 35, .c = 36, .norms = 0, .auxiliary = 40};
constexpr Places kBackward{.weights = 18,
                           .recurrent = 22,
                           .peepholes = 26,
                           .bias = 29,
                           .projection = 33,
                           .projection_bias = 34,
                           .h = 37,
                           .c = 38,
                           .norms = 0,
                           .auxiliary = 44};
// TFLite's, under the root.
constexpr float kNormEpsilon = 1e-8F;

struct Settings {
    ActivationFunctionType activation = ActivationFunctionType::TANH;
    float cell_clip = 0;
    float projection_clip = 0;
};

float checked_clip(const Operator& op, const char* name, float clip) {
    op.require(std::isfinite(clip) && clip >= 0, name, " is ", clip, ", expected 0 or more");
    return clip;
}

template <class Options>
Settings read_settings(const Operator& op, const Options& options) {
    return {.activation = options.fused_activation_function(),
            .cell_clip = checked_clip(op, "cell_clip", options.cell_clip()),
            .projection_clip = checked_clip(op, "proj_clip", options.proj_clip())};
}

bool any_input(const Operator& op, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
        if (op.has_input(i)) {
            return true;
        }
    }
    return false;
}

// What LSTMSequence has.
bool plain_step(const Operator& op, const Places& at, const Settings& settings) {
    return op.has_input(at.weights) && !any_input(op, at.peepholes, 3) &&
           !op.has_input(at.projection) && (at.norms == 0 || !any_input(op, at.norms, 4)) &&
           settings.cell_clip == 0 &&
           (settings.activation == ActivationFunctionType::TANH ||
            settings.activation == ActivationFunctionType::RELU);
}

// Weights of the input, beside them those of the second one.
Output input_weights(Operator& op, const Places& at, std::size_t gate) {
    const Output weights = op.real(at.weights + gate);
    if (at.auxiliary == 0 || !op.has_input(at.auxiliary + gate)) {
        return weights;
    }
    return op.add("Concat", {weights, op.real(at.auxiliary + gate)}, {{"axis", std::int64_t{1}}});
}

Output plain_lstm(Operator& op,
                  const Sequence& sequence,
                  const Places& at,
                  const Settings& settings,
                  bool reverse) {
    // The Model wants forget, input, cell, output.
    constexpr std::size_t kOrder[] = {1, 0, 2, 3};
    const std::int64_t hidden = dimension(op, at.recurrent + 3, 0);
    const auto joined = [&](std::size_t first) {
        std::vector<Output> parts;
        for (const std::size_t gate : kOrder) {
            parts.push_back(first == at.weights ? input_weights(op, at, gate)
                                                : op.real(first + gate));
        }
        return op.unsqueeze(op.add("Concat", parts, {{"axis", std::int64_t{0}}}), {0});
    };
    const std::string activation = activation_name(op, settings.activation);
    fuseq::Node* node =
        op.node("LSTMSequence",
                {sequence.x, state(op, at.h, sequence.batch, hidden),
                 state(op, at.c, sequence.batch, hidden), sequence_lengths(op, sequence),
                 joined(at.weights), joined(at.recurrent), joined(at.bias)},
                {{"hidden_size", hidden},
                 {"direction", reverse ? "reverse" : "forward"},
                 {"activations", std::vector<std::string>{"sigmoid", activation, activation}}});
    keep_state(op, at.h, node->output(1));
    keep_state(op, at.c, node->output(2));
    return op.squeeze(node->output(0), {1});
}

readers::LstmLoop loop_of(Operator& op, const Sequence& sequence, const Places& at) {
    const bool coupled = !op.has_input(at.weights);
    const auto joined = [&](std::size_t first) {
        std::vector<Output> parts;
        for (std::size_t gate = coupled ? 1 : 0; gate < kLstmGates; ++gate) {
            parts.push_back(first == at.weights ? input_weights(op, at, gate)
                                                : op.real(first + gate));
        }
        return op.add("Concat", parts, {{"axis", std::int64_t{0}}});
    };
    const std::int64_t cells = dimension(op, at.recurrent + 1, 0);
    const std::int64_t size = dimension(op, at.recurrent + 1, 1);
    readers::LstmLoop lstm;
    lstm.x = sequence.x;
    lstm.h = op.reshape(op.input(at.h), {sequence.batch, size});
    lstm.c = op.reshape(op.input(at.c), {sequence.batch, cells});
    lstm.weights = joined(at.weights);
    lstm.recurrent = joined(at.recurrent);
    lstm.bias = joined(at.bias);
    lstm.coupled = coupled;
    lstm.norm_epsilon = kNormEpsilon;
    constexpr LstmGate kWithPeephole[] = {LstmGate::input, LstmGate::forget, LstmGate::output};
    for (std::size_t i = 0; i < 3; ++i) {
        if (op.has_input(at.peepholes + i)) {
            lstm.peepholes[static_cast<std::size_t>(kWithPeephole[i])] = op.real(at.peepholes + i);
        }
    }
    if (at.norms != 0 && any_input(op, at.norms, 4)) {
        for (std::size_t gate = coupled ? 1 : 0; gate < kLstmGates; ++gate) {
            lstm.norms[gate] = op.real(at.norms + gate);
        }
    }
    if (op.has_input(at.projection)) {
        lstm.projection = op.real(at.projection);
    }
    if (op.has_input(at.projection_bias)) {
        lstm.projection_bias = op.real(at.projection_bias);
    }
    return lstm;
}

// [batch, steps, size]
Output lstm(Operator& op,
            const Sequence& sequence,
            const Places& at,
            const Settings& settings,
            bool reverse = false) {
    if (plain_step(op, at, settings)) {
        return plain_lstm(op, sequence, at, settings, reverse);
    }
    readers::LstmLoop loop = loop_of(op, sequence, at);
    op.require(loop.projection || !loop.projection_bias,
               "a bias of the projection is given, and no projection");
    loop.cell_clip = settings.cell_clip;
    loop.projection_clip = settings.projection_clip;
    loop.reverse = reverse;
    const auto activation = settings.activation;
    loop.candidate = loop.result = [activation](readers::LayerBuilder& layers, const Output& x) {
        return fused_activation(layers, x, activation);
    };
    const readers::LstmResult result = readers::lstm_loop(op, loop);
    keep_state(op, at.h, result.h);
    keep_state(op, at.c, result.c);
    return result.y;
}

template <class Options>
IntegerLstmOptions integer_options(const Options& options, std::int64_t together) {
    return {.activation = options.fused_activation_function(),
            .cell_clip = options.cell_clip(),
            .projection_clip = options.proj_clip(),
            .together = together};
}

Values one_direction(Operator& op) {
    const auto& options = op.options<::tflite::UnidirectionalSequenceLSTMOptions>();
    op.require(!options.diagonal_recurrent_tensors(),
               "diagonal_recurrent_tensors is not supported");
    if (op.tensor(0).type == ElementType::i8) {
        const bool major = options.time_major();
        const Output x = major ? op.transpose(op.input(0), {1, 0, 2}) : op.input(0);
        const std::int64_t together = major ? dimension(op, 0, 1) : 1;
        const Output y = integer_lstm(op, x, integer_options(options, together));
        return plain(major ? op.transpose(y, {1, 0, 2}) : y);
    }
    const Sequence sequence = read_sequence(op, options.time_major());
    const Output y = lstm(op, sequence, kOneDirection, read_settings(op, options));
    return plain(sequence_result(op, sequence, y));
}

bool has_auxiliary_weights(const Operator& op, const Places& at) {
    const bool has = op.has_input(at.auxiliary + 1);
    for (std::size_t gate = 0; gate < kLstmGates; ++gate) {
        op.require(op.has_input(at.auxiliary + gate) == (has && op.has_input(at.weights + gate)),
                   "input ", at.auxiliary + gate,
                   ": the weights of the auxiliary input are not those "
                   "of all gates");
    }
    return has;
}

// With weights of its own the auxiliary input stands beside the other one; without them it is what the
// backward direction reads.
std::pair<Sequence, Sequence> inputs_of_directions(Operator& op, const Sequence& sequence) {
    const bool own = has_auxiliary_weights(op, kForward);
    op.require(
        own == has_auxiliary_weights(op, kBackward) && (!own || op.has_input(kAuxiliaryInput)),
        "the weights of the auxiliary input are not those of both directions, or the input "
        "is missing");
    if (!op.has_input(kAuxiliaryInput)) {
        return {sequence, sequence};
    }
    // TFLite steps through it by the other input's size.
    op.require(op.tensor(kAuxiliaryInput).shape == op.tensor(0).shape,
               "the auxiliary input has shape ", to_string(op.tensor(kAuxiliaryInput).shape),
               ", expected that of the input, ", to_string(op.tensor(0).shape));
    const Output input = op.input(kAuxiliaryInput);
    const Output second = sequence.time_major ? op.transpose(input, {1, 0, 2}) : input;
    Sequence other = sequence;
    other.x = own ? op.add("Concat", {sequence.x, second}, {{"axis", std::int64_t{2}}}) : second;
    return {own ? other : sequence, other};
}

Values two_directions(Operator& op) {
    const auto& options = op.options<::tflite::BidirectionalSequenceLSTMOptions>();
    const Settings settings = read_settings(op, options);
    const Sequence sequence = read_sequence(op, options.time_major());
    const auto [forward_input, backward_input] = inputs_of_directions(op, sequence);
    const Output forward = lstm(op, forward_input, kForward, settings);
    const Output backward = lstm(op, backward_input, kBackward, settings, true);
    if (options.merge_outputs()) {
        const Output both = op.add("Concat", {forward, backward}, {{"axis", std::int64_t{2}}});
        return plain(sequence_result(op, sequence, both));
    }
    return {{.plain = sequence_result(op, sequence, forward)},
            {.plain = sequence_result(op, sequence, backward)}};
}

// Inputs: values, last output, weights of both, bias, cells. All states are outputs; the last two
// outputs are what the kernel computes on the way.
Values basic_step(Operator& op) {
    const Output both = op.add("Concat", {op.input(0), op.input(1)}, {{"axis", std::int64_t{1}}});
    const Output sums =
        op.add("Add", {op.add("MatMul", {both, op.real(2)}, {{"transpose_b", true}}), op.real(3)});
    fuseq::Node* gates =
        op.node("Split", {sums, op.int_scalar(1)}, {{"num_splits", std::int64_t{4}}});
    const auto sigmoid = [&](std::size_t i) { return op.add("Sigmoid", {gates->output(i)}); };
    const Output fresh = op.add("Multiply", {sigmoid(0), op.add("Tanh", {gates->output(1)})});
    const Output kept = op.add("Multiply", {sigmoid(2), op.input(4)});
    const Output cell = op.add("Add", {fresh, kept});
    const Output result = op.add("Multiply", {sigmoid(3), op.add("Tanh", {cell})});
    return {{.plain = result}, {.plain = cell}, {.plain = both}, {.plain = sums}};
}

Values one_step(Operator& op) {
    const auto& options = op.options<::tflite::LSTMOptions>();
    const bool integers = op.tensor(0).type == ElementType::i8;
    if (!integers) {
        require_real(op);
    }
    const bool basic = options.kernel_type() == 1;
    op.require(basic || options.kernel_type() == 0, "kernel_type is ",
               static_cast<int>(options.kernel_type()), ", expected 0 or 1");
    op.require(!basic || !integers, "the kernel of kernel_type 1 has no form for i8");
    if (basic) {
        return basic_step(op);
    }
    op.require(op.tensor(0).shape.size() == 2, "the input has shape ",
               to_string(op.tensor(0).shape), ", expected two dimensions");
    if (integers) {
        const Output x = op.unsqueeze(op.input(0), {1});
        const auto settings = integer_options(options, dimension(op, 0, 0));
        return plain(op.squeeze(integer_lstm(op, x, settings), {1}));
    }
    const Sequence sequence{
        .x = op.unsqueeze(op.input(0), {1}), .batch = dimension(op, 0, 0), .steps = 1};
    const Output y = lstm(op, sequence, kOneDirection, read_settings(op, options));
    return plain(op.squeeze(y, {1}));
}

const OperatorRow kRows[] = {
    {.type = "BIDIRECTIONAL_SEQUENCE_LSTM",
     .newest = 3,
     .translate = two_directions,
     .note = "f32, weights of 8 bits too"},
    {.type = "LSTM",
     .newest = 4,
     .translate = one_step,
     .note = "f32, weights of 8 bits too; both kernel types; i8 with five intermediate tensors"},
    {.type = "UNIDIRECTIONAL_SEQUENCE_LSTM",
     .newest = 4,
     .translate = one_direction,
     .note = "f32 (weights of 8 bits too) and i8"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::lstm_operators
